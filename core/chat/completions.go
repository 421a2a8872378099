package chat

import (
	"fmt"
	"slices"
)

// Tags of the template by which chat messages become the one prompt of APICompletions. A message is its tag, a line feed, its
// text, a line feed; a call of a tool is a tag of its own behind the assistant's text; the last tag asks for the answer.
const (
	tagOpen   = "<|"
	tagClose  = `|>\n` // in a JSON string
	answerTag = tagOpen + "assistant" + tagClose
)

// prompt writes a message by the template.
func (w *writer) prompt(m *message) error {
	texts, err := m.content.texts()
	if err != nil {
		return err
	}
	w.put(tagOpen, string(AppendEscaped(nil, m.role)), tagClose)
	for _, t := range texts {
		w.share(t)
	}
	w.put(`\n`)
	for _, c := range m.calls {
		arguments := c.text()
		w.put(tagOpen, "tool_call", tagClose, string(c.name), `\n`)
		w.share(arguments[1 : len(arguments)-1])
		w.put(`\n`)
	}
	return nil
}

// refusedByCompletions are parameters of chat completions that a prompt without a template cannot follow.
var refusedByCompletions = []string{
	"tools", "tool_choice", "parallel_tool_calls", "chat_template", "chat_template_kwargs", "reasoning_effort", "top_logprobs",
}

func completionParams(p Params) (Params, error) {
	for _, m := range p.list {
		if slices.Contains(refusedByCompletions, m.key) || m.key == "logprobs" && (m.value[0] == 't' || m.value[0] == 'f') {
			return Params{}, refused(APICompletions, m.key)
		}
	}
	return p, nil
}

// refused is the error of a parameter that an API does not have.
func refused(a API, key string) error {
	return fmt.Errorf("the API %s has no %q: ask by another API, or remove it by a null in the run's override", a, key)
}
