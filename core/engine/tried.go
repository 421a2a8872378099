package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// Tried is what came of asking twice for one token with the same prompt, in a stream. The prompt is long enough for every
// engine's prefix cache to hold some of it the second time.
type Tried struct {
	Replies []Fact // one or two; the second is only asked after a first that was answered
}

// counts are the token counts of an answer.
type counts struct {
	told   bool
	cached bool // cached tokens are told, were there any or not
	tokens uint64
}

// answered is the last answer, or why it was none: with a status that is not 200 it tells nothing.
func (t *Tried) answered() (*Fact, string) {
	if len(t.Replies) == 0 {
		return nil, "not asked"
	}
	last := &t.Replies[len(t.Replies)-1]
	switch {
	case last.Status == 0:
		return nil, last.Error
	case last.Status != http.StatusOK:
		return nil, fmt.Sprintf("status %d", last.Status)
	}
	return last, ""
}

// countsOf reads the counts of an answer: of the events of a stream, or of one document.
func countsOf(body []byte) counts {
	var c counts
	if trimmed := bytes.TrimSpace(body); bytes.HasPrefix(trimmed, []byte("{")) {
		c.add(trimmed)
		return c
	}
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			c.add(data)
		}
	}
	return c
}

func (c *counts) add(data []byte) {
	var chunk struct {
		Usage *struct {
			Prompt  *uint64 `json:"prompt_tokens"`
			Details *struct {
				Cached *uint64 `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
	}
	if json.Unmarshal(data, &chunk) != nil || chunk.Usage == nil || chunk.Usage.Prompt == nil {
		return
	}
	c.told = true
	if d := chunk.Usage.Details; d != nil && d.Cached != nil {
		c.cached, c.tokens = true, *d.Cached
	}
}
