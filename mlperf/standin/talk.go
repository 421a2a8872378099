package standin

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Sizes of texts in bytes.
const (
	poolBytes   = 1 << 20
	sharedBytes = 14 << 10 // system prompt of all workflow conversations
	codingBytes = 3 << 10  // system prompt of a coding conversation
)

// writer makes the rows of conversations.
type writer struct {
	seed     uint64
	text     text
	shared   json.RawMessage // the workflow's system prompt
	workflow json.RawMessage // its tools
	coding   json.RawMessage // tools of coding
	names    []string        // of the workflow's tools
}

func newWriter(seed uint64) (*writer, error) {
	r := stream(seed, 0)
	w := &writer{seed: seed, text: pool(r, poolBytes)}
	var tools []tool
	for i := range 16 {
		name := fmt.Sprintf("%s_%s", words[(7*i)%len(words)], words[(13*i+5)%len(words)])
		w.names = append(w.names, name)
		tools = append(tools, newTool(name, w.text.slice(r, 260), "reference", w.text.slice(r, 80)))
	}
	bash := []tool{newTool("bash", "Runs one command in a shell of the working copy and returns what it writes.", "command", "The command.")}
	for _, v := range []struct {
		into *json.RawMessage
		from any
	}{{&w.shared, notice + "\n\n" + w.text.slice(r, sharedBytes)}, {&w.workflow, tools}, {&w.coding, bash}} {
		raw, err := json.Marshal(v.from)
		if err != nil {
			return nil, fmt.Errorf("encode what conversations share: %w", err)
		}
		*v.into = raw
	}
	return w, nil
}

// talk gives the rows of one conversation to put, in order.
func (w *writer) talk(c conversation, place int, put func(*row) error) error {
	r := stream(w.seed, place)
	var calls []toolCall // of the answer before
	for i := range c.clients {
		client, err := w.client(r, c, i, calls)
		if err != nil {
			return err
		}
		if err := put(client); err != nil {
			return err
		}
		last := i == c.clients-1
		if last && c.open {
			return nil
		}
		answer := w.answer(r, c, i, last)
		if err := put(answer); err != nil {
			return err
		}
		calls = answer.ToolCalls
	}
	return nil
}

// client is the row of a user or of a tool; the first one carries system prompt and tools.
func (w *writer) client(r *random, c conversation, i int, calls []toolCall) (*row, error) {
	out := &row{ID: c.id, Turn: 2*i + 1, Role: "user"}
	for _, call := range calls {
		out.Role = "tool"
		out.ToolResults = append(out.ToolResults, toolResult{call.ID, w.text.slice(r, c.resultBytes(r))})
	}
	if out.Role == "user" {
		content := w.text.slice(r, c.questionBytes(r, i))
		out.Content = &content
	}
	switch {
	case i == 0 && c.workflow:
		out.System, out.Tools = w.shared, w.workflow
	case i == 0:
		system, err := json.Marshal(notice + "\n\n" + w.text.slice(r, codingBytes))
		if err != nil {
			return nil, fmt.Errorf("encode a system prompt: %w", err)
		}
		out.System, out.Tools = system, w.coding
	case out.Role == "tool":
		out.Delay = json.Number(seconds(toolDelay.draw(r)))
	default:
		out.Delay = json.Number(seconds(userDelay.draw(r)))
	}
	return out, nil
}

func (c conversation) resultBytes(r *random) int {
	switch {
	case c.workflow:
		return r.between(120, 900)
	case r.below(20) == 0: // a file that was printed whole
		return r.between(3_000, 9_000)
	}
	return r.between(80, 1_400)
}

func (c conversation) questionBytes(r *random, i int) int {
	if !c.workflow && i == 0 {
		return r.between(900, 4_000)
	}
	return r.between(60, 420)
}

// answer is the recorded row of the assistant. The last one calls nothing.
func (w *writer) answer(r *random, c conversation, i int, last bool) *row {
	out := &row{ID: c.id, Turn: 2*i + 2, Role: "assistant", Reasoning: w.text.slice(r, r.between(80, 700))}
	if c.workflow {
		code := fmt.Sprintf("I%03d", 1+r.below(60))
		content := "intent: " + code + ". " + w.text.slice(r, r.between(60, 380))
		out.Content, out.Intents = &content, []string{code}
		if !last && r.below(5) < 2 {
			out.ToolCalls = []toolCall{newCall(callID(i, 0), r.pick(w.names), "reference", w.text.slice(r, 24))}
		}
		return out
	}
	if last {
		content := "Done: " + w.text.slice(r, r.between(80, 400))
		out.Content = &content
		return out
	}
	for n := range 1 + r.below(8)/7 {
		out.ToolCalls = append(out.ToolCalls, newCall(callID(i, n), "bash", "command", command(r)))
	}
	return out
}

func callID(turn, n int) string { return "call_" + strconv.Itoa(turn+1) + "_" + strconv.Itoa(n+1) }

// command draws one whose programs the inline score knows.
func command(r *random) string {
	a, b := r.pick(words), r.pick(words)
	switch r.below(10) {
	case 0:
		return "ls -la src/" + a
	case 1:
		return "grep -rn '" + a + "' src | head -20"
	case 2:
		return "cat src/" + a + "/" + b + ".py"
	case 3:
		return "sed -n '1,80p' src/" + a + ".py"
	case 4:
		return "find . -name '*" + a + "*' | sort | uniq -c"
	case 5:
		return "python -m pytest tests/test_" + a + ".py -q"
	case 6:
		return "git diff && git log --oneline | head -5"
	case 7:
		return "awk '/" + a + "/ {print $2}' " + b + ".txt | sort | wc -l"
	case 8:
		return "mkdir -p build/" + a + " && cp src/" + b + ".py build/" + a + "/"
	}
	return "python3 -c 'import " + a + "' && tail -n 40 logs/" + b + ".log"
}
