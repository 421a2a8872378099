package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Keys of the limit on generated tokens, by dialect of the endpoint.
const (
	MaxCompletionTokens = "max_completion_tokens" // OpenAI's present name, also vLLM and SGLang
	MaxTokens           = "max_tokens"            // the older name, the only one that llama.cpp's Python server reads
	MaxOutputTokens     = "max_output_tokens"     // of APIResponses
)

// order is the fixed order of the body's keys; all others follow, sorted.
var order = []string{
	"model", "messages", "temperature", MaxCompletionTokens, "stream", "stream_options", "seed", "top_p", "top_k",
	"repetition_penalty", "n", "stop", "presence_penalty", "frequency_penalty", "logit_bias", "user", "chat_template",
	"chat_template_kwargs", "tools", "tool_choice",
}

// rank is a key's place in the fixed order. Keys that other APIs have for the same thing have the same one, as has every
// name of the token limit.
func rank(key string) int {
	switch key {
	case MaxTokens, MaxOutputTokens, "max_new_tokens":
		key = MaxCompletionTokens
	case "stop_sequences":
		key = "stop"
	}
	if i := slices.Index(order, key); i >= 0 {
		return i
	}
	return len(order)
}

// Wire is how requests of a run are written, the same for all of them. Its zero fields are the defaults.
type Wire struct {
	Model        string
	Stream       bool
	IncludeUsage bool   // with Stream: ask for token counts at the end of the stream
	MaxTokensKey string // of APIChat; MaxCompletionTokens where empty
	API          API
}

// Shell is what surrounds the messages of a body. It is not changed after it was made and may be shared by any number of
// requests: one for each distinct combination of parameters, tools and token limit is enough.
type Shell struct {
	api        API
	head, tail []byte
	idsTail    []byte // of a prompt of token ids
	stream     bool
}

// Shell writes the parts of a body before and after the messages. tools is a JSON array or nil; a parameter "tools" wins
// over it. maxTokens 0 leaves the limit out.
func (w Wire) Shell(p Params, tools json.RawMessage, maxTokens uint32) (*Shell, error) {
	key, err := w.limitKey()
	if err != nil {
		return nil, err
	}
	if p.Get("tools") == nil && len(tools) > 0 {
		raw, err := compact(tools)
		if err != nil {
			return nil, fmt.Errorf("write request body: tools: %w", err)
		}
		p.list = insert(p.list, "tools", raw)
	}
	if p, err = w.API.params(p); err != nil {
		return nil, fmt.Errorf("write request body: %w", err)
	}
	if maxTokens > 0 {
		p.list = insert(p.list, key, strconv.AppendUint(nil, uint64(maxTokens), 10))
	} else if w.API == APIMessages {
		return nil, fmt.Errorf("write request body: %w", errNoLimit)
	}
	p.list = insert(p.list, "stream", strconv.AppendBool(nil, w.Stream))
	if w.Stream && w.IncludeUsage && w.API != APIResponses && w.API != APIMessages { // these two always tell it
		p.list = insert(p.list, "stream_options", []byte(`{"include_usage":true}`))
	}
	return w.around(p), nil
}

// around writes what surrounds the messages, given all parameters.
func (w Wire) around(p Params) *Shell {
	rest := p.JSON() // never empty: stream is in it
	rest[0] = ','
	s := &Shell{api: w.API.Named(), stream: w.Stream}
	s.head = appendMember([]byte{'{'}, "model", AppendQuoted(nil, w.Model))
	switch s.api {
	case APICompletions:
		s.head = append(s.head, `,"prompt":`...)
		s.idsTail = append([]byte{']'}, rest...)
		s.tail = slices.Concat([]byte(answerTag+`"`), rest)
		return s
	case APIResponses:
		s.head = append(s.head, `,"input":[`...)
	case APIMessages: // its messages may come behind "system"
	default:
		s.head = append(s.head, `,"messages":[`...)
	}
	s.tail = append([]byte{']'}, rest...)
	return s
}

// limitKey is the key of the limit on generated tokens.
func (w Wire) limitKey() (string, error) {
	switch {
	case w.API == APICompletions, w.API == APIMessages:
		return MaxTokens, nil
	case w.API == APIResponses:
		return MaxOutputTokens, nil
	case w.MaxTokensKey == "":
		return MaxCompletionTokens, nil
	case w.MaxTokensKey == MaxTokens, w.MaxTokensKey == MaxCompletionTokens, w.MaxTokensKey == "max_new_tokens":
		return w.MaxTokensKey, nil
	}
	return "", fmt.Errorf("write request body: %q is no key of a token limit", w.MaxTokensKey)
}

// insert puts a parameter at its place, into a new list.
func insert(list []param, key string, value []byte) []param {
	i := slices.IndexFunc(list, func(p param) bool { return rank(p.key) > rank(key) })
	if i < 0 {
		i = len(list)
	}
	return slices.Insert(slices.Clip(list), i, param{key, value})
}

// Body returns a request over the messages, each one JSON object, in the form of the shell's API (see API.Translate). The
// messages' bytes are shared, not copied. An empty fragment says that what stands before and behind it is one message, see
// Salter.Pieces.
func (s *Shell) Body(messages [][]byte) *Request {
	room := 2*len(messages) + 2
	if s.api == APIMessages {
		room += 2
	}
	r := s.begin(room)
	r.add(s.head)
	switch s.api {
	case APICompletions:
		r.add(quote)
		for _, m := range messages {
			if len(m) > 0 {
				r.add(m)
			}
		}
		r.end(s.tail, len(answerTag)+len(`"`))
		return r
	case APIMessages:
		r.turns(messages)
	default:
		r.list(messages)
	}
	r.end(s.tail, len("]"))
	return r
}

var comma, quote = []byte{','}, []byte{'"'}

// list adds messages with commas between them. It keeps the list to itself meanwhile: histories are long, and each store into a
// request costs a write barrier while garbage is collected.
func (r *Request) list(messages [][]byte) {
	body, size := r.Body, r.Size
	joined := true // no comma before what comes
	for _, m := range messages {
		if len(m) == 0 {
			joined = true
			continue
		}
		if !joined {
			body = append(body, comma)
			size++
		}
		joined = false
		body = append(body, m)
		size += int64(len(m))
	}
	r.Body, r.Size = body, size
}

// begin returns an empty request with room for so many fragments.
func (s *Shell) begin(fragments int) *Request {
	return &Request{Body: make([][]byte, 0, fragments), Stream: s.stream}
}

// add appends a fragment.
func (r *Request) add(fragment []byte) {
	r.Body = append(r.Body, fragment)
	r.Size += int64(len(fragment))
}

// end appends the last fragment, whose first bytes close what stands before the parameters.
func (r *Request) end(tail []byte, closing int) {
	r.add(tail)
	r.closing = closing
}
