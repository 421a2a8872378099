package sim

import (
	"fmt"
	"math"
	"strings"
)

// readPrompt reads the prompt of completions: a text, or token ids.
func (r *Request) readPrompt(s *scanner) error {
	if s.space() == '"' {
		text, err := s.text()
		r.readTags(text)
		return err
	}
	r.ids = []uint32{}
	return s.elements(func() error {
		id, err := s.tokenID()
		if err != nil {
			return fmt.Errorf("prompt: want a text or a list of token ids: %w", err)
		}
		r.ids = append(r.ids, id)
		return nil
	})
}

// tokenID reads a number of 32 bits.
func (s *scanner) tokenID() (uint32, error) {
	s.space()
	start, n := s.i, uint64(0)
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' && n <= math.MaxUint32 {
		n = n*10 + uint64(s.b[s.i]-'0')
		s.i++
	}
	if s.i == start {
		return 0, s.unexpected()
	}
	if n > math.MaxUint32 {
		return 0, fmt.Errorf("token id at offset %d is above 32 bits", start)
	}
	return uint32(n), nil
}

// Tags of the runner's template for prompts of chat messages, see docs/apis.md.
const (
	tagOpen  = "<|"
	tagClose = "|>\n"
	callTag  = "tool_call"
)

// readTags reads a prompt that chat messages were written into by the template: each
// tag is one token then, as a model's own are. Any other text stays a text.
func (r *Request) readTags(text string) {
	role, rest, ok := cutTag(text)
	if !ok {
		r.text, r.isText = text, true
		return
	}
	for role != "" {
		said, next, after := upToTag(rest)
		if next == "" && said == "" && role == "assistant" {
			return // the tag that asks for the answer
		}
		r.readTag(role, strings.TrimSuffix(said, "\n"))
		role, rest = next, after
	}
}

// upToTag returns what stands before the next tag, its role, and what follows it; no
// role where there is no tag.
func upToTag(text string) (said, role, after string) {
	for from := 0; ; {
		at := strings.Index(text[from:], "\n"+tagOpen)
		if at < 0 {
			return text, "", ""
		}
		from += at + 1
		if role, after, ok := cutTag(text[from:]); ok {
			return text[:from], role, after
		}
	}
}

func (r *Request) readTag(role, said string) {
	if role == callTag {
		name, arguments, _ := strings.Cut(said, "\n")
		r.joinCall(ToolCall{Name: name, Arguments: arguments})
		return
	}
	r.Messages = append(r.Messages, Message{Role: role, Content: said})
}

// cutTag takes a tag off the start of a text.
func cutTag(text string) (role, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, tagOpen)
	if !ok {
		return "", "", false
	}
	for _, role := range [...]string{"system", "developer", "user", "assistant", "tool", callTag} {
		if rest, ok := strings.CutPrefix(text, role+tagClose); ok {
			return role, rest, true
		}
	}
	return "", "", false
}
