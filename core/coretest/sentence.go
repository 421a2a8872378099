package coretest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	lastUserSentence = regexp.MustCompile(`^last user message is '(.*)'$`)
	lengthSentence   = regexp.MustCompile(`^sum of content lengths over all messages > (\d+)$`)
	toolIDSentence   = regexp.MustCompile(`^request (\d+): every tool_call_id is (.*), else 400$`)
)

const alternateSentence = "after an optional system message roles alternate user/assistant, else 400"

// parseWhen reads the condition of a reply.
func parseWhen(text string) (func(*Request) bool, error) {
	if m := lastUserSentence.FindStringSubmatch(text); m != nil {
		return func(r *Request) bool { return lastUser(r) == m[1] }, nil
	}
	if m := lengthSentence.FindStringSubmatch(text); m != nil {
		limit, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, fmt.Errorf("when %q: %w", text, err)
		}
		return func(r *Request) bool { return len(messageText(r)) > limit }, nil
	}
	return nil, fmt.Errorf("when %q is not known", text)
}

// parseCheck reads one of the checks.
func parseCheck(text string) (Check, error) {
	if text == alternateSentence {
		return func(r *Request, _ []*Request) error { return rolesAlternate(r) }, nil
	}
	if m := toolIDSentence.FindStringSubmatch(text); m != nil {
		number, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, fmt.Errorf("check %q: %w", text, err)
		}
		known := strings.Split(m[2], " or ")
		return func(r *Request, _ []*Request) error { return toolIDsKnown(r, number, known) }, nil
	}
	return nil, fmt.Errorf("check %q is not known", text)
}

func rolesAlternate(r *Request) error {
	messages := r.Messages()
	if len(messages) > 0 && messages[0].Role == "system" {
		messages = messages[1:]
	}
	for i, m := range messages {
		want := "user"
		if i%2 == 1 {
			want = "assistant"
		}
		if m.Role != want {
			return fmt.Errorf("conversation roles must alternate user/assistant/user/assistant: got %s where %s belongs", m.Role, want)
		}
	}
	return nil
}

func toolIDsKnown(r *Request, number int, known []string) error {
	if r.Number != number {
		return nil
	}
	for _, m := range r.Messages() {
		if m.Role == "tool" && !slices.Contains(known, m.ToolCallID) {
			return fmt.Errorf("tool_call_id %q is not known", m.ToolCallID)
		}
	}
	return nil
}

func lastUser(r *Request) string {
	messages := r.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "user" {
			return messages[i].Text()
		}
	}
	return ""
}

func messageText(r *Request) string {
	var b strings.Builder
	for _, m := range r.Messages() {
		b.WriteString(m.Text())
	}
	return b.String()
}

var totalTokens = regexp.MustCompile(`("total_tokens":\d+)\}`)

// reportCachedTokens adds prompt_tokens_details to the usage in a step: a token
// for each 4 bytes of the longest common prefix of the message text with an
// earlier request's, in whole blocks of 16 bytes.
func reportCachedTokens(r *Request, earlier []*Request, step []byte) []byte {
	if !totalTokens.Match(step) {
		return step
	}
	text, cached := messageText(r), 0
	for _, e := range earlier {
		cached = max(cached, commonPrefix(text, messageText(e))/16*4)
	}
	return totalTokens.ReplaceAll(step, fmt.Appendf(nil, `$1,"prompt_tokens_details":{"cached_tokens":%d}}`, cached))
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
