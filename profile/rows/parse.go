package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"paceline/workloads/profiles/shape"
)

// row is one line. Its numbers are floats, so that 5.0 is a length too and null is told from 0.
type row struct {
	Turns     *float64   `json:"num_turns"`
	Input     *float64   `json:"input_prompt_length"`
	Assistant []*float64 `json:"assistant_response_length"`
	Tool      []*float64 `json:"tool_call_output_length"`
	Wait      []*float64 `json:"tool_call_latency"`
	Final     *float64   `json:"final_assistant_response_length"`
}

func (l Limits) parse(text []byte, t *shape.Trace) error {
	var r row
	if err := json.Unmarshal(text, &r); err != nil {
		return explain(text, err)
	}
	if err := r.missing(); err != nil {
		return err
	}
	turns, err := whole("num_turns", r.Turns, l.Turns)
	if err != nil {
		return err
	}
	for _, list := range []struct {
		name   string
		values []*float64
	}{{"assistant_response_length", r.Assistant}, {"tool_call_output_length", r.Tool}, {"tool_call_latency", r.Wait}} {
		if int64(len(list.values)) != turns {
			return fmt.Errorf("%s has %d elements, and num_turns is %d", list.name, len(list.values), turns)
		}
	}
	t.Reset()
	if t.Input, err = whole("input_prompt_length", r.Input, l.Tokens); err != nil {
		return err
	}
	if t.Final, err = whole("final_assistant_response_length", r.Final, l.Tokens); err != nil {
		return err
	}
	return l.turns(&r, t)
}

func (l Limits) turns(r *row, t *shape.Trace) error {
	for i := range r.Assistant {
		assistant, err := element("assistant_response_length", i, r.Assistant[i], l.Tokens)
		if err != nil {
			return err
		}
		tool, err := element("tool_call_output_length", i, r.Tool[i], l.Tokens)
		if err != nil {
			return err
		}
		wait := r.Wait[i]
		if wait == nil || *wait < 0 || *wait > l.Wait {
			return fmt.Errorf("tool_call_latency[%d] is %s, and 0 to %.15g seconds are allowed", i, said(wait), l.Wait)
		}
		t.Turns = append(t.Turns, shape.Turn{Assistant: assistant, Tool: tool, Wait: int64(math.Round(*wait * 1e6))})
	}
	return nil
}

// missing tells which keys a row lacks: all of them in a file of another format.
func (r *row) missing() error {
	var names []string
	for _, k := range []struct {
		name string
		is   bool
	}{
		{"num_turns", r.Turns == nil}, {"input_prompt_length", r.Input == nil}, {"assistant_response_length", r.Assistant == nil},
		{"tool_call_output_length", r.Tool == nil}, {"tool_call_latency", r.Wait == nil}, {"final_assistant_response_length", r.Final == nil},
	} {
		if k.is {
			names = append(names, k.name)
		}
	}
	switch len(names) {
	case 0:
		return nil
	case 6:
		return fmt.Errorf("no length-only trace: it has none of the keys %s", strings.Join(names, ", "))
	}
	return fmt.Errorf("there is no %s", strings.Join(names, ", no "))
}

func element(name string, i int, v *float64, most int64) (int64, error) {
	n, err := whole(name, v, most)
	if err != nil {
		_, err = whole(fmt.Sprintf("%s[%d]", name, i), v, most)
	}
	return n, err
}

// whole checks a length or a number of turns.
func whole(name string, v *float64, most int64) (int64, error) {
	switch {
	case v == nil:
		return 0, fmt.Errorf("%s is null", name)
	case *v < 0 || *v > float64(most):
		return 0, fmt.Errorf("%s is %s, and 0 to %d are allowed", name, said(v), most)
	case *v != math.Trunc(*v):
		return 0, fmt.Errorf("%s is %s, and a whole number is wanted", name, said(v))
	}
	return int64(*v), nil
}

func said(v *float64) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprintf("%.15g", *v)
}

// packed are the first bytes of compressed files.
var packed = [][]byte{{0x1f, 0x8b}, {0x28, 0xb5, 0x2f, 0xfd}, []byte("PAR1"), []byte("PK\x03\x04")}

// explain says what is wrong with a line that is not a row, and what to do.
func explain(text []byte, err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case slices.ContainsFunc(packed, func(magic []byte) bool { return bytes.HasPrefix(text, magic) }):
		return errors.New("the file is compressed or binary; unpack it to one JSON object a line first")
	case errors.As(err, &kind) && kind.Field == "" && kind.Value == "array":
		return errors.New("an array, and one object a line is wanted (jq -c '.[]' FILE makes it that)")
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("a %s, and an object is wanted", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s holds a %s where a number is wanted", kind.Field, kind.Value)
	case errors.As(err, &syntax) && (bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity"))):
		return errors.New("NaN and Infinity are no JSON; leave the trace out, or say what the number was")
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON at byte %d: %w", syntax.Offset, err)
	}
	return err
}
