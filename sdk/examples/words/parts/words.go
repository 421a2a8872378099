// Package parts has the component of the example words, for the commands that make a plugin of it: sdk/examples/words a wasm
// module, sdk/native/examples/words an executable.
package parts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"paceline/sdk"
	"paceline/sdk/lines"
)

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"properties":{` +
	`"bytes":{"type":"integer","minimum":0,"maximum":64,"default":0,"description":"so many bytes are one token, with a vocabulary of what it lacks; 0: a word is one token"}}}`

// Plugin is the plugin words: a counter that takes words, or some bytes, for tokens. A real one holds its model's tokenizer
// instead, and counts what the model's chat template adds.
func Plugin() sdk.Plugin {
	return sdk.Plugin{Name: "words", Version: "0.1.0", Components: []sdk.Component{{
		Name: "count", Summary: "words, or bytes, of requests and answers", ConfigSchema: []byte(configSchema), Unit: sdk.UnitTurn,
		Inputs: []string{"vocabulary"}, Capabilities: []sdk.Capability{sdk.CapabilityInputs},
		Needs:   []sdk.Need{sdk.NeedAnswer, sdk.NeedHistory, sdk.NeedAppended, sdk.NeedTools},
		Counter: open,
	}}}
}

type counter struct {
	bytes      int             // of one token; 0: words are counted
	vocabulary map[string]bool // words that are one token; nil: none was given
}

func open(o *sdk.Opening) (sdk.Counter, error) {
	var config struct {
		Bytes int `json:"bytes"`
	}
	if len(o.Config) > 0 {
		if err := json.Unmarshal(o.Config, &config); err != nil || config.Bytes < 0 || config.Bytes > 64 {
			return nil, sdk.Faults{{Pointer: "/bytes", Code: "bad-bytes", Message: "not a whole number from 0 to 64", Expected: "0 to 64"}}
		}
	}
	c := counter{bytes: config.Bytes}
	for _, in := range o.Inputs {
		words, err := vocabulary(in)
		if err != nil {
			return nil, err
		}
		c.vocabulary = words
	}
	return c, nil
}

// vocabulary reads an input with one word on each line.
func vocabulary(in *sdk.Input) (map[string]bool, error) {
	words := map[string]bool{}
	scan := lines.New(in, in.Size())
	for scan.Scan() {
		words[string(bytes.TrimSpace(scan.Bytes()))] = true
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, sdk.Faults{{Input: in.Name, Code: "empty", Message: "no word in it", Expected: "a word on each line"}}
	}
	return words, nil
}

// Count implements sdk.Counter. What did not arrive has no count, and the reason says so.
func (c counter) Count(samples []sdk.Sample) ([]sdk.TokenCount, error) {
	counts := make([]sdk.TokenCount, len(samples))
	for i := range samples {
		counts[i] = c.sample(&samples[i])
	}
	return counts, nil
}

func (c counter) sample(s *sdk.Sample) sdk.TokenCount {
	var out sdk.TokenCount
	var missing []string
	if in, err := c.messages(s.History, s.Appended); err == nil {
		in += c.text(string(s.Tools))
		out.Input = &in
	} else {
		missing = append(missing, "no request")
	}
	if s.Answer == nil {
		missing = append(missing, "no answer")
	} else if n, err := c.message(s.Answer.Message); err != nil {
		missing = append(missing, "an answer that cannot be read")
	} else {
		out.Output = &n
	}
	out.Reason = strings.Join(missing, ", ")
	return out
}

// messages counts lists of messages. Where the host does not know one, it is no JSON.
func (c counter) messages(lists ...[]byte) (uint64, error) {
	var sum uint64
	for _, raw := range lists {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return 0, fmt.Errorf("read messages: %w", err)
		}
		for _, m := range list {
			n, err := c.message(m)
			if err != nil {
				return 0, err
			}
			sum += n
		}
	}
	return sum, nil
}

// message counts what a message says and thinks, and the tool calls that it makes.
func (c counter) message(raw []byte) (uint64, error) {
	var m struct {
		Content   json.RawMessage `json:"content"`
		Reasoning string          `json:"reasoning"`
		Thinking  string          `json:"reasoning_content"`
		Calls     []struct {
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return 0, fmt.Errorf("read a message: %w", err)
	}
	content := string(m.Content) // parts of several kinds count as they are written
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		content = text
	}
	sum := c.text(content) + c.text(m.Reasoning) + c.text(m.Thinking)
	for _, call := range m.Calls {
		sum += c.text(call.Function.Name) + c.text(call.Function.Arguments)
	}
	return sum, nil
}

// text counts one text: by words where a vocabulary is given, one token for each that it has and pieces of the others.
func (c counter) text(s string) uint64 {
	switch {
	case c.vocabulary != nil:
		var sum uint64
		for _, word := range strings.Fields(s) {
			if c.vocabulary[word] {
				sum++
			} else {
				sum += pieces(word, max(c.bytes, 1))
			}
		}
		return sum
	case c.bytes == 0:
		return uint64(len(strings.Fields(s)))
	default:
		return pieces(s, c.bytes)
	}
}

func pieces(s string, size int) uint64 { return uint64((len(s) + size - 1) / size) }
