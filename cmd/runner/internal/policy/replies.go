package policy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"paceline/core/sim"
)

// maxReply bounds a line of a file of replies in bytes.
const maxReply = 16 << 20

// reply is one line of such a file: what is answered to a last user message, and where tools are given, only where the request
// offers these.
type reply struct {
	User      string
	Tools     []string
	Content   string
	ToolCalls []sim.ToolCall `json:"tool_calls"`
}

// replies answers by a file. A request that no line fits gets a drawn answer.
func replies(file string) (Answer, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("policy replies: %w", err)
	}
	defer f.Close()
	byKey := map[string]sim.Answer{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxReply)
	for n := 1; lines.Scan(); n++ {
		var r reply
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("policy replies: %s:%d: %w", file, n, err)
		}
		byKey[key(r.User, r.Tools)] = sim.Answer{Content: r.Content, ToolCalls: r.ToolCalls}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("policy replies: read %s: %w", file, err)
	}
	return func(r *sim.Request) (sim.Answer, bool) {
		names := make([]string, len(r.Tools))
		for i := range r.Tools {
			names[i] = r.Tools[i].Name
		}
		answer, ok := byKey[key(r.LastUser(), names)]
		if !ok {
			answer, ok = byKey[key(r.LastUser(), nil)]
		}
		return answer, ok
	}, nil
}

func key(user string, tools []string) string { return user + "\x00" + strings.Join(tools, "\x00") }
