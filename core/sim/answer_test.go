package sim_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"paceline/core/sim"

	"github.com/google/go-cmp/cmp"
)

const tools = `,"tools":[{"type":"function","function":{"name":"bash","parameters":{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"integer"}},"required":["command","timeout"]}}}]`

// said is what of a reply may depend on seed and prompt only.
func said(r reply) []any {
	return []any{r.text, r.reasoning, r.calls, r.finish, r.usage.Completion}
}

func TestAnswersDependOnSeedAndPromptOnly(t *testing.T) {
	answers := func(seed uint64, stream string, order []int) map[int][]any {
		got := map[int][]any{}
		inBubble(t, sim.Config{Seed: seed, ReasoningTokens: 20}, func(b *bench) {
			for _, i := range order {
				got[i] = said(b.ask(prompt(tools+stream, fmt.Sprint("task ", i))))
			}
		})
		return got
	}
	order := []int{0, 1, 2, 3, 4, 5}
	first := answers(1, streaming, order)
	slices.Reverse(order)
	if diff := cmp.Diff(first, answers(1, "", order)); diff != "" {
		t.Errorf("whole answers in another order differ (-streamed +whole):\n%s", diff)
	}
	other := answers(2, "", order)
	for i := range order {
		if cmp.Equal(first[i], other[i]) {
			t.Errorf("prompt %d has the same answer under another seed", i)
		}
	}
}

func TestDrawnAnswers(t *testing.T) {
	inBubble(t, sim.Config{AnswerTokens: 200}, func(b *bench) {
		sum, calls := 0, 0
		const asked = 300
		for i := range asked {
			r := b.ask(prompt(tools+streaming, fmt.Sprint("task ", i)))
			sum += r.usage.Completion
			if len(r.calls) == 0 {
				if r.finish != "stop" || r.text == "" {
					t.Errorf("text answer %q ended with %q", r.text, r.finish)
				}
				continue
			}
			calls++
			var arguments struct {
				Command string
				Timeout int
			}
			if err := json.Unmarshal([]byte(r.calls[0].Arguments), &arguments); err != nil || arguments.Command == "" || arguments.Timeout == 0 {
				t.Errorf("arguments %s: %v", r.calls[0].Arguments, err)
			}
			if r.finish != "tool_calls" || r.calls[0].Name != "bash" || !strings.HasPrefix(r.calls[0].ID, "call_") {
				t.Errorf("call %+v ended with %q", r.calls[0], r.finish)
			}
		}
		if mean := sum / asked; mean < 170 || mean > 230 {
			t.Errorf("the mean answer has %d tokens, want about 200", mean)
		}
		if calls < asked*8/10 || calls == asked {
			t.Errorf("%d of %d answers are calls, want about nine of ten", calls, asked)
		}
	})
}

func TestLengthLimits(t *testing.T) {
	for _, test := range []struct {
		fields, finish string
		tokens         int
	}{
		{`,"max_tokens":5`, "length", 5},
		{`,"max_completion_tokens":7`, "length", 7},
		{`,"max_tokens":64,"ignore_eos":true`, "length", 64},
		{`,"max_tokens":5000,"min_tokens":4000`, "stop", 4000},
	} {
		for _, stream := range []string{"", streaming} {
			inBubble(t, sim.Config{AnswerTokens: 40}, func(b *bench) {
				r := b.ask(prompt(test.fields+stream, "hello"))
				if r.usage == nil || r.usage.Completion != test.tokens || r.finish != test.finish || len(r.text) != 4*test.tokens {
					t.Errorf("%s%s: %d bytes, finish %q, usage %+v", test.fields, stream, len(r.text), r.finish, r.usage)
				}
			})
		}
	}
}

func TestScriptedAnswers(t *testing.T) {
	want := sim.Answer{
		Reasoning: "think\n",
		Content:   "Ünï \"quoted\"\t→ 漢字 😀",
		ToolCalls: []sim.ToolCall{{ID: "one", Name: "bash", Arguments: `{"command":"echo 'é'"}`}, {ID: "two", Name: "none"}},
	}
	c := sim.Config{TokensPerChunk: 2, Answer: sim.AnswerByUser(map[string]sim.Answer{"solve": want})}
	for _, stream := range []string{"", streaming} {
		inBubble(t, c, func(b *bench) {
			r := b.ask(prompt(stream, "solve"))
			got := sim.Answer{Reasoning: r.reasoning, Content: r.text, ToolCalls: r.calls}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if r.usage.Completions.Reasoning != 2 || r.finish != "tool_calls" {
				t.Errorf("finish %q, usage %+v", r.finish, r.usage)
			}
			if r := b.ask(prompt(stream, "other")); r.text == "" {
				t.Error("an unknown prompt got no drawn answer")
			}
		})
	}
}

func TestEmptyAnswer(t *testing.T) {
	for _, stream := range []string{"", streaming} {
		inBubble(t, sim.Config{Answer: say("")}, func(b *bench) {
			if r := b.ask(prompt(stream, "x")); r.status != 200 || r.usage.Completion != 0 || r.finish != "stop" || len(r.tokens) != 0 {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestReasoningSwitches(t *testing.T) {
	inBubble(t, sim.Config{ReasoningTokens: 30, ReasoningField: "reasoning"}, func(b *bench) {
		if r := b.ask(prompt(streaming, "x")); !strings.Contains(r.body, `"delta":{"reasoning":"`) || r.usage.Completions.Reasoning == 0 {
			t.Errorf("no reasoning in %+v", r.usage)
		}
		if r := b.ask(prompt(`,"chat_template_kwargs":{"enable_thinking":false}`, "x")); strings.Contains(r.body, `"reasoning"`) {
			t.Errorf("reasoning in %s", r.body)
		}
	})
}
