package inline

import (
	"strings"
	"unicode"

	"paceline/workloads/rawjson"
)

// Actions gives the programs that a message's bash calls run, by their canonical names, in order. What is no known
// program is left out. Arguments are never looked at.
func Actions(message rawjson.Value) []string {
	var actions []string
	message.Get("tool_calls").Each(func(_ int, call rawjson.Value) bool {
		f := call.Get("function")
		if name, _ := f.Get("name").Text(); name == "bash" {
			actions = appendPrograms(actions, command(f.Get("arguments")))
		}
		return true
	})
	return actions
}

// command gives the shell text of a call's arguments: an object, or the text of one.
func command(arguments rawjson.Value) string {
	if text, ok := arguments.Text(); ok {
		if rawjson.Valid([]byte(text)) != nil {
			return ""
		}
		arguments = rawjson.Value(strings.TrimSpace(text))
	}
	v := arguments.Get("command")
	if falsy(v) {
		v = arguments.Get("cmd")
	}
	text, _ := v.Text()
	return text
}

// falsy reports what Python takes for false, which is how the reference tells an empty command.
func falsy(v rawjson.Value) bool {
	switch v.Kind() {
	case rawjson.Absent, rawjson.Null:
		return true
	case rawjson.String:
		return string(v) == `""`
	case rawjson.Bool:
		return v[0] == 'f'
	case rawjson.Number:
		n, ok := rawjson.Exact(v, 0)
		return ok && n == 0
	case rawjson.Array, rawjson.Object:
		return v.Empty()
	}
	return false
}

func appendPrograms(actions []string, text string) []string {
	text = unquote(text)
	for len(text) > 0 {
		stage, end := text, len(text)
		if i, n := separator(text); n > 0 {
			stage, end = text[:i], i+n
		}
		if name := canonical(program(stage)); name != "" {
			actions = append(actions, name)
		}
		text = text[end:]
	}
	return actions
}

// unquote removes quoted spans; a quote without its other half stays.
func unquote(text string) string {
	var out strings.Builder
	for {
		i := strings.IndexAny(text, "'\"`")
		if i < 0 {
			break
		}
		n := strings.IndexByte(text[i+1:], text[i])
		if n < 0 {
			out.WriteString(text[:i+1])
			text = text[i+1:]
			continue
		}
		out.WriteString(text[:i])
		text = text[i+n+2:]
	}
	out.WriteString(text)
	return out.String()
}

// separator finds the first of || | && ; and newline, and its length; 0 where there is none. A single & separates nothing.
func separator(text string) (at, length int) {
	for i := range len(text) {
		switch text[i] {
		case ';', '\n':
			return i, 1
		case '|':
			if i+1 < len(text) && text[i+1] == '|' {
				return i, 2
			}
			return i, 1
		case '&':
			if i+1 < len(text) && text[i+1] == '&' {
				return i, 2
			}
		}
	}
	return 0, 0
}

// program gives the first word of a stage behind assignments and wrappers, empty where none is left.
func program(stage string) string {
	for _, word := range strings.FieldsFunc(stage, space) {
		if !assignment(word) && !wrapper(word) {
			return word
		}
	}
	return ""
}

// space reports what Python's split takes for white space.
func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// assignment reports a word of the form NAME=...
func assignment(word string) bool {
	for i, c := range []byte(word) {
		switch {
		case c == '=':
			return i > 0
		case c == '_', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', i > 0 && c >= '0' && c <= '9':
		default:
			return false
		}
	}
	return false
}

func wrapper(word string) bool {
	switch word {
	case "env", "time", "nice", "sudo", "exec", "command":
		return true
	}
	return false
}

// canonical maps a word to the name of a known program, empty where it is none.
func canonical(word string) string {
	word = strings.ToLower(word[strings.LastIndexByte(word, '/')+1:])
	word = cutVersion(cutVersion(word))
	switch word {
	case "python2", "python3", "py":
		return "python"
	case "pip3":
		return "pip"
	case "sphinx-build", "sphinx-quickstart":
		return "sphinx"
	case "less", "more":
		return "cat"
	case "egrep", "fgrep", "rg", "ag":
		return "grep"
	case "gawk":
		return "awk"
	case "locate":
		return "find"
	case ".":
		return "source"
	case "wget":
		return "curl"
	case "apt-get":
		return "apt"
	case "python", "pip", "pytest", "pylint", "cython", "make", "conda", "cat", "head", "tail", "wc", "diff", "grep",
		"sed", "awk", "tr", "sort", "uniq", "cut", "find", "ls", "xargs", "cp", "mv", "rm", "mkdir", "touch", "tee",
		"source", "which", "alias", "unset", "export", "git", "curl", "true", "false", "timeout", "date", "apt", "yum":
		return word
	}
	return ""
}

// cutVersion removes a last part of a dot and digits.
func cutVersion(word string) string {
	bare := strings.TrimRight(word, "0123456789")
	if len(bare) < len(word) && strings.HasSuffix(bare, ".") && len(bare) > 1 {
		return bare[:len(bare)-1]
	}
	return word
}
