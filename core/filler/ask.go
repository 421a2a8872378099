package filler

import (
	"context"
	"encoding/json"
	"fmt"

	"paceline/core/chat"
)

// prompt makes messages of so many units each. They have no marks: whole permutations have the same number of tokens each, so
// that what is found is exact.
func (c *calibration) prompt(units int, roles ...string) []chat.Draft {
	var prompt []chat.Draft
	for i, role := range roles {
		from := (len(c.found.Checks)*len(roles) + i) * block * c.material.size
		text := c.material.run[from : from+units*c.material.size]
		if c.found.Mode == Exact {
			prompt = append(prompt, chat.Draft{JSON: json.RawMessage(text[:len(text)-1])})
			continue
		}
		prompt = append(prompt, chat.Draft{Role: role, Pieces: []chat.Piece{{Inside: text[1:]}}})
	}
	return prompt
}

// ask sends one prompt.
func (c *calibration) ask(ctx context.Context, units int, roles ...string) (int64, error) {
	tokens, err := c.count(ctx, c.prompt(units, roles...))
	if err != nil {
		return 0, err
	}
	check := Check{Units: units, Messages: len(roles), System: roles[0] == "system", Tokens: uint64(tokens)}
	c.found.Checks = append(c.found.Checks, check)
	return tokens, nil
}

// count has the target count a prompt.
func (c *calibration) count(ctx context.Context, prompt []chat.Draft) (int64, error) {
	tokens, err := c.asker.Ask(ctx, prompt)
	if err == nil && tokens > maxPrompt {
		err = fmt.Errorf("the target tells %d tokens of a short prompt", tokens)
	}
	return int64(min(tokens, maxPrompt)), err
}

// expect fills in what each prompt should have had, by what was found.
func (c *calibration) expect() {
	for i := range c.found.Checks {
		k := &c.found.Checks[i]
		k.Expected = c.found.Added + int64(k.Units)
		if c.found.Mode == Exact {
			continue
		}
		o := &c.found.Overhead
		micros := int64(k.Units)*int64(k.Messages)*c.found.Word + o.Prompt*micro
		if k.System {
			micros += o.System * micro
		} else {
			micros += o.Turn * micro * int64(k.Messages/2)
		}
		k.Expected = (micros + micro/2) / micro
	}
}
