package agent

import (
	"paceline/sdk"
	"paceline/workloads/codeqa/task"
	"paceline/workloads/rawjson"
)

const (
	guidedPrompt = "You answer questions about a tree of source files. You cannot see it; use the tools to look: list shows a folder, " +
		"grep finds lines, read shows a file. Look before you answer, and do not guess.\n" +
		"When you know the answer, reply without a tool call. End with one line of the form\n" +
		"Answer: <the answer alone>\n" +
		"Give numbers as digits, names and paths exactly as they stand in the tree; paths begin at its root."
	barePrompt = "There is a tree of files, and the tools list, grep and read to look at it."
)

// Plan implements sdk.Workload. Repeat and seed change nothing: a question begins the same each time.
func (w *workload) Plan(index uint64, _ uint32, _ []byte) (*sdk.Trajectory, error) {
	if index >= uint64(len(w.tasks)) {
		return nil, sdk.Errorf(sdk.CodeOutOfRange, "plan trajectory %d: there are %d", index, len(w.tasks))
	}
	t := &w.tasks[index]
	system := guidedPrompt
	if w.bare {
		system = barePrompt
	}
	s := state{task: t.ID}
	return &sdk.Trajectory{
		Id: t.ID, Domain: "codeqa", Labels: []sdk.Label{{Key: "kind", Value: string(t.Kind)}},
		Turns: []sdk.Turn{{
			Append: []sdk.Message{message("system", system), message("user", t.Question)},
			Labels: []sdk.Label{{Key: "request", Value: "user"}},
		}},
		State: s.encode(), Truth: truth(t),
	}, nil
}

// message makes a chat message of a text.
func message(role, content string) sdk.Message {
	b := append([]byte(`{"role":"`), role...)
	b = append(b, `","content":`...)
	return sdk.Message{Json: append(rawjson.AppendString(b, content), '}')}
}

// truth is what the scorer learns.
func truth(t *task.Task) []byte {
	b := rawjson.AppendString([]byte(`{"kind":`), string(t.Kind))
	b = rawjson.AppendString(append(b, `,"form":`...), string(t.Form))
	b = appendStrings(append(b, `,"answers":`...), t.Answers)
	b = appendStrings(append(b, `,"files":`...), t.Files)
	return append(b, '}')
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, text := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, text)
	}
	return append(b, ']')
}
