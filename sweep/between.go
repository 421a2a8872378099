package sweep

import (
	"fmt"
	"strings"
)

// Between says what empties the target's prefix cache between two points.
type Between struct {
	Kind    string // BetweenNone, BetweenVLLM, BetweenSGLang, BetweenCommand, BetweenRestart
	Command string // of the last two, for a shell
}

// Ways to empty a prefix cache.
const (
	BetweenNone    = "none"    // nothing does
	BetweenVLLM    = "vllm"    // POST /reset_prefix_cache
	BetweenSGLang  = "sglang"  // POST /flush_cache
	BetweenCommand = "cmd"     // a command does it
	BetweenRestart = "restart" // a command starts the target anew; it is waited for
)

// ParseBetween reads none, vllm, sglang, "cmd COMMAND" or "restart COMMAND".
func ParseBetween(text string) (Between, error) {
	kind, command, _ := strings.Cut(strings.TrimSpace(text), " ")
	b := Between{kind, strings.TrimSpace(command)}
	switch kind {
	case BetweenNone, BetweenVLLM, BetweenSGLang:
		if b.Command != "" {
			return b, fmt.Errorf("%q: %s takes no command; `cmd COMMAND` does", text, kind)
		}
	case BetweenCommand, BetweenRestart:
		if b.Command == "" {
			return b, fmt.Errorf("%q: %s needs a command, e.g. %q", text, kind, kind+" ./empty-cache.sh")
		}
	default:
		return b, fmt.Errorf("%q is unknown; want none, vllm, sglang, \"cmd COMMAND\" or \"restart COMMAND\"", text)
	}
	return b, nil
}
