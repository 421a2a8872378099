package filler

import (
	"context"

	"paceline/core/chat"
)

// answer measures what becomes of an answer that is sent back.
func (c *calibration) answer(ctx context.Context) error {
	prompt := c.prompt(shortPrompt, "user", "user")
	answer, wrote, err := c.asker.Answer(ctx, prompt[:1], answerTokens)
	if err != nil || wrote < leastAnswer {
		return err
	}
	tokens, err := c.count(ctx, []chat.Draft{prompt[0], answer, prompt[1]})
	if err != nil {
		return err
	}
	o := &c.found.Overhead
	back := tokens*micro - 2*shortPrompt*c.found.Word - (o.Prompt+o.Turn)*micro
	c.found.Answer = min(max(back/int64(min(wrote, maxPrompt)), leastWord), mostWord)
	return c.tokenizer(ctx, &answer, (back+micro/2)/micro)
}

// tokenizer looks whether the target's tokenizer tells of an answer what its prompts do, so that answers may be asked about.
func (c *calibration) tokenizer(ctx context.Context, answer *chat.Draft, back int64) error {
	asker, ok := c.asker.(Tokenizer)
	if !ok || asker.Path() == "" {
		return nil
	}
	t := &Tokenized{Path: asker.Path(), InPrompt: back}
	c.found.Tokenizer = t
	counted, err := asker.Tokens(ctx, answer.Text(chat.Keep))
	t.Counted = int64(min(counted, maxPrompt))
	off := max(t.Counted-back, back-t.Counted)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		t.Reason = err.Error()
	case off > counterOff+back/100:
		t.Reason = "it counts otherwise than prompts are counted"
	default:
		t.Used = true
	}
	return nil
}
