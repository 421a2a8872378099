package filler

import (
	"context"
	"errors"
	"fmt"

	"paceline/core/chat"
)

// ErrNoUsage is what an Asker answers where the target does not tell how many tokens a prompt had.
var ErrNoUsage = errors.New("the target tells no token counts")

// Asker sends prompts outside the load.
type Asker interface {
	// Ask returns how many tokens the target counted in a prompt.
	Ask(ctx context.Context, prompt []chat.Draft) (uint64, error)
	// Answer has the target write an answer of so many tokens, as far as it can be made to, and returns the answer as it joins
	// a history, and how many tokens the target counted in it.
	Answer(ctx context.Context, prompt []chat.Draft, tokens uint32) (chat.Draft, uint64, error)
}

// Prompts of a calibration, in words or token ids.
const (
	shortPrompt = 64
	longPrompt  = shortPrompt + 1024
	turnPairs   = 8   // of an answer and a user's message: first words of messages differ in tokens, so several are averaged
	checkWords  = 128 // of each message of the last prompt, which only checks
	checkPairs  = 4
	mostAdded   = 16 // token ids that a target may plausibly add

	leastWord = micro / 10 // that a word of three letters may plausibly have
	mostWord  = 10 * micro

	answerTokens = 256 // of the answer that is sent back
	leastAnswer  = 32  // below that it tells nothing
	counterOff   = 2   // tokens, and a hundredth, that a tokenizer may be off by: templates trim
)

// Tokenizer is an Asker that can also have the target count the tokens of a text, which is the inside of a JSON string.
type Tokenizer interface {
	// Tokens is asked nothing where Path is empty.
	Tokens(ctx context.Context, text []byte) (uint64, error)
	// Path names what is asked at the target.
	Path() string
}

// Calibrate measures what a planned length takes, with a few prompts of known sizes; live says that answers join histories. A
// target that tells no token counts leaves it uncalibrated, which is no error.
func Calibrate(ctx context.Context, root uint64, m Mode, live bool, a Asker) (Lengths, error) {
	c := &calibration{found: Default(m), asker: a, live: live}
	if err := c.found.Check(); err != nil {
		return c.found, err
	}
	measure := c.text
	c.material = words(root)
	if m == Exact {
		measure, c.material = c.exact, ids(root)
	}
	err := measure(ctx)
	if errors.Is(err, ErrNoUsage) {
		c.found = Default(m)
		c.found.Reason = ErrNoUsage.Error()
		return c.found, nil
	}
	if err != nil {
		return c.found, fmt.Errorf("calibrate lengths: %w", err)
	}
	c.found.State = Calibrated
	return c.found, nil
}

type calibration struct {
	found    Lengths
	asker    Asker
	live     bool
	material *material
}

// text measures a word with two prompts, the template with three more, and with two what becomes of an answer.
func (c *calibration) text(ctx context.Context) error {
	short, err := c.ask(ctx, shortPrompt, "user")
	if err != nil {
		return err
	}
	long, err := c.ask(ctx, longPrompt, "user")
	if err != nil {
		return err
	}
	c.found.Word = (long - short) * micro / (longPrompt - shortPrompt)
	if c.found.Word < leastWord || c.found.Word > mostWord {
		return fmt.Errorf("a prompt of %d words has %d tokens and one of %d words %d: the target does not count prompts", shortPrompt, short, longPrompt, long)
	}
	o := &c.found.Overhead
	o.Prompt = c.rest(short, shortPrompt)
	with, err := c.ask(ctx, shortPrompt, "system", "user")
	switch {
	case errors.Is(err, ErrNoUsage) || ctx.Err() != nil:
		return err
	case err == nil: // else the template has no system messages
		o.System = c.rest(with, 2*shortPrompt) - o.Prompt
	}
	with, err = c.ask(ctx, shortPrompt, talk(turnPairs)...)
	if err != nil {
		return err
	}
	o.Turn = rounded(c.beside(with, (1+2*turnPairs)*shortPrompt)-o.Prompt*micro, turnPairs*micro)
	if _, err = c.ask(ctx, checkWords, talk(checkPairs)...); err != nil {
		return err
	}
	c.expect()
	if !c.live {
		return nil
	}
	return c.answer(ctx)
}

// talk are the roles of a user's message and of so many pairs of an answer and a message behind it.
func talk(pairs int) []string {
	roles := []string{"user"}
	for range pairs {
		roles = append(roles, "assistant", "user")
	}
	return roles
}

// rest is what a prompt has beside so many words, in tokens.
func (c *calibration) rest(tokens int64, words int) int64 {
	return rounded(c.beside(tokens, words), micro)
}

// beside is the same in millionths of tokens.
func (c *calibration) beside(tokens int64, words int) int64 {
	return tokens*micro - int64(words)*c.found.Word
}

// rounded is a quotient, halves away from zero.
func rounded(n, by int64) int64 {
	if n < 0 {
		return -((-n + by/2) / by)
	}
	return (n + by/2) / by
}

// exact looks whether the target adds a token of its own to a prompt of token ids.
func (c *calibration) exact(ctx context.Context) error {
	short, err := c.ask(ctx, shortPrompt, "")
	if err != nil {
		return err
	}
	c.found.Added = short - shortPrompt
	long, err := c.ask(ctx, longPrompt, "")
	if err != nil {
		return err
	}
	if c.found.Added < 0 || c.found.Added > mostAdded || long != longPrompt+c.found.Added {
		return fmt.Errorf("prompts of %d and %d token ids have %d and %d tokens: the target does not take token ids as they are", shortPrompt, longPrompt, short, long)
	}
	c.expect()
	return nil
}
