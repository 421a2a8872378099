package engine

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Fact is what a target answered to one question.
type Fact struct {
	Page    string
	Status  int // 0: there was no whole answer
	Headers []Header
	Body    []byte
	Error   string // why there was none
}

// Header is one header of an answer.
type Header struct{ Name, Value string }

// header is the value of the header of that name, in any case.
func (f *Fact) header(name string) string {
	for _, h := range f.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// object is a JSON object, member by member.
type object map[string]json.RawMessage

// object reads the body as a JSON object; nil where it is none.
func (f *Fact) object() object {
	var o object
	if f == nil || f.Status != http.StatusOK || json.Unmarshal(f.Body, &o) != nil {
		return nil
	}
	return o
}

// Facts are the answers to the questions so far.
type Facts []Fact

// page is the answer to the question for a page; nil where it was not asked.
func (f Facts) page(name string) *Fact {
	for i := range f {
		if f[i].Page == name {
			return &f[i]
		}
	}
	return nil
}

// found reports whether the target has the page.
func (f Facts) found(name string) bool {
	p := f.page(name)
	return p != nil && p.Status == http.StatusOK
}

// text is a member of an object as a text, cut to what a version or a name may have.
func text(o object, key string) string {
	var s string
	if json.Unmarshal(o[key], &s) != nil {
		return ""
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	runes := []rune(s)
	return string(runes[:min(len(runes), maxText)])
}

// maxText bounds what is kept of a text that a stranger says, in characters.
const maxText = 80

// flag is a member of an object as a boolean; told is false where it is none.
func flag(o object, key string) (value, told bool) {
	return value, o[key] != nil && string(o[key]) != "null" && json.Unmarshal(o[key], &value) == nil
}
