package toolcalls

import (
	"paceline/workloads/checks/schema"
	"paceline/workloads/rawjson"
)

// tools are those that a request offered.
type tools struct {
	list []tool
}

type tool struct {
	name   string
	schema *schema.Checker // nil: the tool says nothing about its arguments
}

// readTools reads a list of OpenAI's form. What is no such tool is passed over: the request was sent all the same.
func readTools(text []byte) *tools {
	out := &tools{}
	if rawjson.Valid(text) != nil {
		return out
	}
	list := rawjson.Value(text[rawjson.Space(text, 0):])
	list.Each(func(_ int, v rawjson.Value) bool {
		f := v.Get("function")
		name, ok := f.Get("name").Text()
		if !ok {
			return true
		}
		t := tool{name: name}
		if p := f.Get("parameters"); !p.Missing() {
			t.schema = schema.New(p)
		}
		out.list = append(out.list, t)
		return true
	})
	return out
}

func (t *tools) find(name string) *tool {
	for i := range t.list {
		if t.list[i].name == name {
			return &t.list[i]
		}
	}
	return nil
}
