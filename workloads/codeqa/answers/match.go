package answers

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"paceline/workloads/codeqa/task"
)

// maxAnswer is the most bytes that an answer may have: a longer one is a listing, and holds the right answer by chance.
const maxAnswer = 4000

// label begins the line that says the answer alone, in any case.
const label = "answer:"

// Said returns the part of a final answer that is compared: what follows the last line that begins with "Answer:", white
// space and emphasis around that word aside; all of it where there is no such line.
func Said(text string) string {
	said := text
	for at := 0; at < len(text); {
		line, rest, _ := strings.Cut(text[at:], "\n")
		bare := strings.TrimLeft(line, " \t*_#>`-")
		if len(bare) >= len(label) && strings.EqualFold(bare[:len(label)], label) {
			if after := text[at+len(line)-len(bare)+len(label):]; strings.Trim(after, " \t\r\n*_`") != "" {
				said = after
			}
		}
		if at += len(line) + 1; rest == "" {
			break
		}
	}
	return said
}

// Holds reports whether a text holds one of the accepted answers by the rule of its form.
func Holds(form task.Form, accepted []string, text string) bool {
	return slices.ContainsFunc(accepted, func(want string) bool {
		switch form {
		case task.Number:
			if n := numberAt(want, 0); n.digits == "" {
				return found(want, text, true, wordStarts, wordEnds) // a number that is written as a word
			}
			return holdsNumber(want, text)
		case task.FilePath:
			return found(want, text, false, pathStarts, pathEnds)
		case task.Text:
			return found(squeeze(want), squeeze(text), true, wordStarts, wordEnds)
		default:
			return found(want, text, false, identifierStarts, identifierEnds)
		}
	})
}

// found looks for want at every place of text whose borders are such as they should be.
func found(want, text string, fold bool, starts, ends func(string) bool) bool {
	if fold {
		want, text = strings.ToLower(want), strings.ToLower(text)
	}
	for from := 0; want != ""; {
		i := strings.Index(text[from:], want)
		if i < 0 {
			return false
		}
		if i += from; starts(text[:i]) && ends(text[i+len(want):]) {
			return true
		}
		from = i + 1
	}
	return false
}

// squeeze makes white space of any length one blank.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func wordStarts(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || !isWord(r)
}

func wordEnds(after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return after == "" || !isWord(r)
}

// identifierStarts allows what qualifies a name: Class.name, module::name, folder/name.
func identifierStarts(before string) bool {
	return wordStarts(before) && !strings.HasSuffix(before, "-")
}

// identifierEnds refuses a name that goes on: retry-budget is not retry, and calls.assigned not calls.
func identifierEnds(after string) bool { return wordEnds(after) && !goesOn(after, "-./:") }

// pathStarts allows ./path and /path, but no folder before it.
func pathStarts(before string) bool {
	if rest, ok := strings.CutSuffix(before, "/"); ok {
		before = strings.TrimSuffix(rest, ".")
	}
	return wordStarts(before) && !strings.HasSuffix(before, "-") && !strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "/")
}

// pathEnds allows a line number, path:12.
func pathEnds(after string) bool { return wordEnds(after) && !goesOn(after, "-./") }

// goesOn reports whether one of the signs comes first and a letter or digit next.
func goesOn(after, signs string) bool {
	return len(after) > 1 && strings.IndexByte(signs, after[0]) >= 0 && !wordEnds(after[1:])
}
