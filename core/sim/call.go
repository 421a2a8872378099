package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"paceline/core/chat"
)

// drawCall draws a call of one of the tools, preferring those that run commands,
// with about so many tokens of arguments.
func drawCall(tools []Tool, tokens int, random *rand.Rand) ToolCall {
	tool := tools[random.IntN(len(tools))]
	for _, t := range tools {
		if commandOf(t) != "" && random.IntN(2) == 0 {
			tool = t
		}
	}
	var b strings.Builder
	b.WriteByte('{')
	separator := ""
	for _, p := range tool.Properties {
		if !p.Required && p.Name != commandOf(tool) {
			continue
		}
		b.WriteString(separator)
		b.Write(chat.AppendQuoted(nil, p.Name))
		b.WriteString(": ")
		drawValue(&b, p, tokens, random)
		separator = ", "
	}
	b.WriteByte('}')
	return ToolCall{Name: tool.Name, Arguments: b.String()}
}

// commandOf returns the property of t that takes a shell command, or "".
func commandOf(t Tool) string {
	for _, p := range t.Properties {
		if p.Name == "command" || p.Name == "cmd" {
			return p.Name
		}
	}
	return ""
}

func drawValue(b *strings.Builder, p Property, tokens int, random *rand.Rand) {
	switch p.Type {
	case "integer", "number":
		fmt.Fprint(b, random.IntN(200)+1)
	case "boolean":
		fmt.Fprint(b, random.IntN(2) == 0)
	case "array":
		b.WriteString("[]")
	case "object":
		b.WriteString("{}")
	default:
		b.Write(chat.AppendQuoted(nil, drawText(p.Name, tokens, random)))
	}
}

func drawText(name string, tokens int, random *rand.Rand) string {
	switch {
	case name == "command" || name == "cmd":
		return drawCommand(tokens, random)
	case strings.Contains(name, "path") || strings.Contains(name, "file"):
		return drawPath(random)
	}
	return words(max(1, tokens), random)
}

func drawPath(random *rand.Rand) string {
	folders := [...]string{"src", "core", "internal/app", "tests", "docs"}
	names := [...]string{"main.go", "server.py", "config.yaml", "index.ts", "README.md", "test_cache.py"}
	return folders[random.IntN(len(folders))] + "/" + names[random.IntN(len(names))]
}

func drawCommand(tokens int, random *rand.Rand) string {
	commands := [...]string{
		"ls -la %s", "cat %s", "sed -n '1,120p' %s", "grep -rn \"TODO\" %s", "git diff --stat -- %s",
		"head -n 50 %s", "wc -l %s", "python -m pytest -q %s", "git log --oneline -5 -- %s", "tail -n 80 %s",
	}
	var b strings.Builder
	for separator := ""; b.Len() == 0 || b.Len() < (tokens-6)*tokenBytes; separator = " && " {
		b.WriteString(separator)
		fmt.Fprintf(&b, commands[random.IntN(len(commands))], drawPath(random))
	}
	return b.String()
}
