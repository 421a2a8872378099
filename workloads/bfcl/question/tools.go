package question

import (
	"fmt"
	"strconv"
	"strings"

	"paceline/workloads/bfcl/category"
	"paceline/workloads/bfcl/checker"
	"paceline/workloads/bfcl/python"
)

// openAPI maps the types of BFCL's function descriptions to those of JSON Schema; what is not here becomes a string.
var openAPI = map[string]string{
	"integer": "integer", "byte": "integer", "short": "integer", "long": "integer", "Bigint": "integer",
	"number": "number", "float": "number", "double": "number",
	"string": "string", "String": "string", "char": "string", "any": "string", "Any": "string",
	"boolean": "boolean", "bool": "boolean",
	"array": "array", "list": "array", "tuple": "array", "ArrayList": "array", "Array": "array", "Queue": "array", "Stack": "array",
	"dict": "object", "object": "object", "HashMap": "object", "Hashtable": "object",
}

// misfit tells where a function cannot become a tool.
type misfit struct {
	pointer, want string
}

func (m *misfit) Error() string { return fmt.Sprintf("%s: want %s", m.pointer, m.want) }

// Tools makes the request's tools of the functions of a question: a JSON array, nil where there are none. hinted adds to the
// descriptions what bfcl-eval adds: the language, and for Java and JavaScript how arguments are written.
func Tools(functions []python.Value, language category.Language, hinted bool) ([]byte, error) {
	if len(functions) == 0 {
		return nil, nil
	}
	out := []byte{'['}
	for i, function := range functions {
		tool, err := tool("/function/"+strconv.Itoa(i), function, language, hinted)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"type":"function","function":`...)
		out = append(tool.Append(out), '}')
	}
	return append(out, ']'), nil
}

func tool(at string, function python.Value, language category.Language, hinted bool) (python.Value, *misfit) {
	if function.Get("name").Kind != python.Str {
		return function, &misfit{at + "/name", "a string"}
	}
	parameters := function.Get("parameters")
	properties := parameters.Get("properties")
	if properties.Kind != python.Dict {
		return function, &misfit{at + "/parameters/properties", "an object"}
	}
	at += "/parameters/properties"
	function, parameters = function.Clone(), parameters.Clone()
	if hinted {
		description := function.Get("description")
		if description.Kind != python.Str {
			return function, &misfit{strings.TrimSuffix(at, "/parameters/properties") + "/description", "a string"}
		}
		function.Set("description", python.Text(description.Text+languageHints[language]))
		hints, err := hintAll(at, properties, language)
		if err != nil {
			return function, err
		}
		properties = hints
	}
	properties, err := castAll(at, properties)
	function.Set("name", python.Text(checker.ToolName(function.Get("name").Text)))
	parameters.Set("type", python.Text("object"))
	parameters.Set("properties", properties)
	function.Set("parameters", parameters)
	return function, err
}

// castAll gives each property a type of JSON Schema.
func castAll(at string, properties python.Value) (python.Value, *misfit) {
	if properties.Kind != python.Dict {
		return properties, &misfit{at, "an object"}
	}
	properties = properties.Clone()
	for i, key := range properties.Keys() {
		v, err := cast(at+"/"+escape(key), properties.Items()[i])
		if err != nil {
			return properties, err
		}
		properties.Set(key, v)
	}
	return properties, nil
}

func cast(at string, v python.Value) (python.Value, *misfit) {
	if v.Kind != python.Dict {
		return v, &misfit{at, "an object"}
	}
	v = v.Clone()
	kind := v.Get("type")
	if kind.Kind != python.Str && kind.Kind != python.Absent {
		return v, &misfit{at + "/type", "a string"}
	}
	if kind.Text == "float" {
		description := v.Get("description")
		if description.Kind != python.Str {
			return v, &misfit{at + "/description", "a string, since the type is float"}
		}
		v.Set("format", python.Text("float"))
		v.Set("description", python.Text(description.Text+" This is a float type value."))
	}
	mapped, ok := openAPI[kind.Text]
	if !ok {
		mapped = "string"
	}
	v.Set("type", python.Text(mapped))
	if mapped != "array" && mapped != "object" {
		return v, nil
	}
	return castInner(at, v)
}

// castInner casts what a list or object holds.
func castInner(at string, v python.Value) (python.Value, *misfit) {
	switch {
	case v.Has("properties"):
		properties, err := castAll(at+"/properties", v.Get("properties"))
		v.Set("properties", properties)
		return v, err
	case !v.Has("items"):
		return v, nil
	}
	at += "/items"
	items, err := castType(at, v.Get("items"))
	if err != nil {
		return v, err
	}
	switch {
	case items.Get("type").Text == "array" && items.Has("items"):
		inner, failed := castType(at+"/items", items.Get("items"))
		items.Set("items", inner)
		err = failed
	case items.Get("type").Text == "object" && items.Has("properties"):
		properties, failed := castAll(at+"/properties", items.Get("properties"))
		items.Set("properties", properties)
		err = failed
	}
	v.Set("items", items)
	return v, err
}

// castType casts the type of elements alone, which must be one of the known.
func castType(at string, v python.Value) (python.Value, *misfit) {
	mapped, ok := openAPI[v.Get("type").Text]
	if v.Kind != python.Dict || !ok {
		return v, &misfit{at + "/type", "a type that BFCL knows"}
	}
	v = v.Clone()
	v.Set("type", python.Text(mapped))
	return v, nil
}

// escape writes a key as part of a JSON pointer.
func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
