package inline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"paceline/workloads/rawjson"
)

// Intents gives the upper-cased intent codes of a truth, each once, in order; what is no string or empty is left out.
func Intents(codes rawjson.Value) []string {
	var intents []string
	codes.Each(func(_ int, v rawjson.Value) bool {
		if text, _ := v.Text(); text != "" {
			if text = strings.ToUpper(text); !slices.Contains(intents, text) {
				intents = append(intents, text)
			}
		}
		return true
	})
	return intents
}

// Intent gives the intent that an answer names, such as I042, empty where it names none: the first that follows the word
// "intent:", in the reasoning and then in the content; else the last code that stands alone, in the same order.
func Intent(message rawjson.Value) string {
	reasoning, ok := message.Get("reasoning_content").Text()
	if !ok {
		reasoning, _ = message.Get("reasoning").Text()
	}
	content, _ := message.Get("content").Text()
	for _, text := range [...]string{reasoning, content} {
		if code := announced(text); code != "" {
			return code
		}
	}
	for _, text := range [...]string{reasoning, content} {
		if code := lastBare(text); code != "" {
			return code
		}
	}
	return ""
}

// announced finds the first "intent:" with a code behind it; case does not matter.
func announced(text string) string {
	const word = "intent:"
	for i := 0; i+len(word) <= len(text); i++ {
		if !strings.EqualFold(text[i:i+len(word)], word) || wordBefore(text, i) {
			continue
		}
		rest := strings.TrimLeftFunc(text[i+len(word):], space)
		if len(rest) > 0 && (rest[0] == 'I' || rest[0] == 'i') {
			if code := codeAt(rest); code != "" {
				return "I" + code[1:]
			}
		}
	}
	return ""
}

// lastBare finds the last code that stands alone, with a capital I.
func lastBare(text string) string {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == 'I' && !wordBefore(text, i) {
			if code := codeAt(text[i:]); code != "" {
				return code
			}
		}
	}
	return ""
}

// codeAt gives the letter and the three digits that text begins with, where no further word character follows.
func codeAt(text string) string {
	if len(text) < 4 {
		return ""
	}
	for _, c := range []byte(text[1:4]) {
		if c < '0' || c > '9' {
			return ""
		}
	}
	if r, _ := utf8.DecodeRuneInString(text[4:]); len(text) > 4 && wordRune(r) {
		return ""
	}
	return text[:4]
}

func wordBefore(text string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return i > 0 && wordRune(r)
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }
