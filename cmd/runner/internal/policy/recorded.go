package policy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"paceline/core/sim"
)

// filler lengthens answers by one token of the simulator's for each.
const filler = "aye "

// Bounds of the length of recorded answers.
const (
	recordedTokens    = 383 // where none is named
	maxRecordedTokens = 100_000
)

// recordedRow is what is read of a row of a data set of recorded conversations.
type recordedRow struct {
	Conversation string          `json:"conversation_id"`
	Role         string          `json:"role"`
	Content      json.RawMessage `json:"content"`
	Reasoning    string          `json:"reasoning_content"`
	ToolCalls    []struct {
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// place is a turn: what the conversation began with, and how many answers came before.
type place struct {
	began string
	turn  int
}

// recorded answers each turn of a data set as it was recorded, FILE or FILE:TOKENS, lengthened to so many tokens; a turn without a
// recorded answer gets filler alone, and a request of no conversation a drawn answer.
func recorded(text string) (Answer, error) {
	file, tokens := text, recordedTokens
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		if n, err := strconv.Atoi(text[i+1:]); err == nil {
			file, tokens = text[:i], n
		}
	}
	if tokens < 1 || tokens > maxRecordedTokens {
		return nil, fmt.Errorf("policy recorded: %d tokens: want 1 to %d", tokens, maxRecordedTokens)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("policy recorded: %w", err)
	}
	defer f.Close()
	answers := map[place]sim.Answer{}
	began := map[string]*place{} // by conversation: where it is
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxReply)
	for n := 1; lines.Scan(); n++ {
		var row recordedRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("policy recorded: %s:%d: %w", file, n, err)
		}
		at := began[row.Conversation]
		switch {
		case row.Role == "user" && at == nil:
			began[row.Conversation] = &place{began: plainText(row.Content)}
		case row.Role == "assistant" && at != nil:
			answers[*at] = lengthened(row.answer(), tokens)
			at.turn++
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("policy recorded: read %s: %w", file, err)
	}
	known := map[string]bool{}
	for at := range answers {
		known[at.began] = true
	}
	return func(r *sim.Request) (sim.Answer, bool) {
		at := place{began: firstUser(r), turn: answersSoFar(r)}
		a, ok := answers[at]
		if !ok && known[at.began] {
			return lengthened(sim.Answer{}, tokens), true
		}
		return a, ok
	}, nil
}

func (row *recordedRow) answer() sim.Answer {
	a := sim.Answer{Reasoning: row.Reasoning, Content: plainText(row.Content)}
	for _, c := range row.ToolCalls {
		a.ToolCalls = append(a.ToolCalls, sim.ToolCall{Name: c.Function.Name, Arguments: plainText(c.Function.Arguments)})
	}
	return a
}

// plainText is a JSON string's text, nothing of null, and anything else as it stands there.
func plainText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func lengthened(a sim.Answer, tokens int) sim.Answer {
	if a.Content != "" {
		a.Content += " "
	}
	if missing := tokens - a.Tokens(); missing > 0 {
		a.Content += strings.Repeat(filler, missing)
	}
	return a
}

func firstUser(r *sim.Request) string {
	for i := range r.Messages {
		if r.Messages[i].Role == "user" {
			return r.Messages[i].Content
		}
	}
	return ""
}
