package coretest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// scriptFile is server.json.
type scriptFile struct {
	Checks []string
	Note   string
	Path   string
	After  string
	Usage  string
}

type replyFile struct {
	Request json.RawMessage
	When    string
	Status  int
	Headers map[string]string
	Body    []struct {
		AtMS     float64 `json:"at_ms"`
		File     string
		From, To int
		Text     string
	}
	End string
}

// ParseScript reads a server.json. The replies stand under key; open returns
// the files that they name. Conditions and checks are sentences, of which only
// those that the cases use are understood; others are errors.
func ParseScript(data []byte, key string, open func(name string) ([]byte, error)) (*Script, error) {
	var file scriptFile
	var replies map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(data, &file), json.Unmarshal(data, &replies)); err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	var list []replyFile
	if err := json.Unmarshal(replies[key], &list); err != nil {
		return nil, fmt.Errorf("read script: key %q: %w", key, err)
	}
	s := &Script{Path: file.Path}
	if strings.Contains(file.Note, "leave 1 ms between") {
		s.Gap = time.Millisecond
	}
	for i, r := range list {
		reply, err := parseReply(r, open)
		if err != nil {
			return nil, fmt.Errorf("read script: %s[%d]: %w", key, i, err)
		}
		s.Replies = append(s.Replies, reply)
		s.CloseListenerAfter = max(s.CloseListenerAfter, reply.Last)
	}
	return s, s.parseSentences(file)
}

// parseSentences fills the script from the file's free texts.
func (s *Script) parseSentences(file scriptFile) error {
	switch file.After {
	case "":
		s.CloseListenerAfter = 0
	case "close listener": // after the last numbered request
	default:
		return fmt.Errorf("read script: after %q is not known", file.After)
	}
	if strings.HasPrefix(file.Usage, "prompt_tokens_details.cached_tokens = longest common prefix") {
		s.Edit = reportCachedTokens
	} else if file.Usage != "" {
		return fmt.Errorf("read script: usage %q is not known", file.Usage)
	}
	for _, text := range file.Checks {
		check, err := parseCheck(text)
		if err != nil {
			return fmt.Errorf("read script: %w", err)
		}
		s.Checks = append(s.Checks, check)
	}
	return nil
}

func parseReply(r replyFile, open func(string) ([]byte, error)) (Reply, error) {
	reply := Reply{Status: r.Status}
	var err error
	if reply.First, reply.Last, err = parseRange(r.Request); err != nil {
		return reply, err
	}
	if r.When != "" {
		if reply.When, err = parseWhen(r.When); err != nil {
			return reply, err
		}
	}
	if reply.End, err = parseEnd(r.End); err != nil {
		return reply, err
	}
	for name, value := range r.Headers {
		reply.Headers = append(reply.Headers, Header{name, value})
	}
	sort.Slice(reply.Headers, func(i, j int) bool { return reply.Headers[i].Name < reply.Headers[j].Name })
	for i, b := range r.Body {
		step := Step{At: time.Duration(b.AtMS * float64(time.Millisecond)), Data: []byte(b.Text)}
		if b.File != "" {
			if step.Data, err = cut(b.File, b.From, b.To, open); err != nil {
				return reply, fmt.Errorf("body[%d]: %w", i, err)
			}
		}
		reply.Body = append(reply.Body, step)
	}
	return reply, nil
}

func cut(file string, from, to int, open func(string) ([]byte, error)) ([]byte, error) {
	data, err := open(file)
	if err != nil {
		return nil, err
	}
	if from == 0 && to == 0 {
		return data, nil
	}
	if from < 0 || from > to || to > len(data) {
		return nil, fmt.Errorf("%s has %d bytes, range %d to %d does not fit", file, len(data), from, to)
	}
	return data[from:to], nil
}

// parseRange reads 3, "3", "1-6", "any" or "rest"; the last two are 0, 0.
func parseRange(raw json.RawMessage) (first, last int, err error) {
	text := string(bytes.Trim(raw, `"`))
	if text == "" || text == "any" || text == "rest" {
		return 0, 0, nil
	}
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	first, err = strconv.Atoi(from)
	if err == nil {
		last, err = strconv.Atoi(to)
	}
	if err != nil || first < 1 || last < first {
		return 0, 0, fmt.Errorf("request %q is no number, range, any or rest", text)
	}
	return first, last, nil
}

func parseEnd(word string) (End, error) {
	for e := EndClose; e <= EndDrop; e++ {
		if e.String() == word {
			return e, nil
		}
	}
	return 0, fmt.Errorf("end %q is not known", word)
}
