package question

import (
	"paceline/workloads/bfcl/category"
	"paceline/workloads/bfcl/python"
)

// What bfcl-eval puts behind a function's description; part of the prompt, so word for word.
var languageHints = [...]string{
	category.Python:     " Note that the provided function is in Python 3 syntax.",
	category.Java:       " Note that the provided function is in Java 8 SDK syntax.",
	category.JavaScript: " Note that the provided function is in JavaScript syntax.",
}

var languageNames = [...]string{category.Java: "Java", category.JavaScript: "JavaScript"}

// hintAll turns the parameters of a function in Java or JavaScript into strings that hold source, and says so behind the
// description of each.
func hintAll(at string, properties python.Value, language category.Language) (python.Value, *misfit) {
	if language == category.Python {
		return properties, nil
	}
	properties = properties.Clone()
	for i, key := range properties.Keys() {
		v, err := hint(at+"/"+escape(key), properties.Items()[i], language)
		if err != nil {
			return properties, err
		}
		properties.Set(key, v)
	}
	return properties, nil
}

func hint(at string, v python.Value, language category.Language) (python.Value, *misfit) {
	kind, description := v.Get("type"), v.Get("description")
	if kind.Kind != python.Str {
		return v, &misfit{at + "/type", "a string"}
	}
	if description.Kind != python.Str {
		return v, &misfit{at + "/description", "a string"}
	}
	v = v.Clone()
	text := description.Text
	if kind.Text == "any" {
		text += " This parameter can be of any type of " + languageNames[language] + " object in string representation."
	} else {
		text += " This is " + languageNames[language] + " " + kind.Text + " type parameter in string representation."
	}
	if isList(kind.Text, language) {
		inner := v.Get("items").Get("type")
		if inner.Kind != python.Str {
			return v, &misfit{at + "/items/type", "a string"}
		}
		text += " The list elements are of type " + inner.Text + "; they are not in string representation."
		v.Delete("items")
	}
	if language == category.JavaScript && kind.Text == "dict" && v.Has("properties") {
		text += " The dictionary entries have the following schema; they are not in string representation. " + v.Get("properties").Dumps()
		v.Delete("properties")
	}
	v.Set("description", python.Text(text))
	v.Set("type", python.Text("string"))
	return v, nil
}

func isList(kind string, language category.Language) bool {
	if language == category.Java {
		return kind == "ArrayList" || kind == "Array"
	}
	return kind == "array"
}
