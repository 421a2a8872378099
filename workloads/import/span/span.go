// Package span reads the spans of OpenTelemetry in the shapes in which they lie in files: OTLP/JSON, the SDK's console
// JSON, and flat objects. Formats that tell of requests by attributes build on it.
package span

import (
	"strconv"

	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Paths are where spans lie: OTLP/JSON under either spelling, an object or a list of spans, or a span a value.
func Paths() []string {
	return []string{
		"", "*", "spans/*", "*/spans/*", "resourceSpans/*/scopeSpans/*/spans/*", "resource_spans/*/scope_spans/*/spans/*",
		"resourceSpans/*/instrumentationLibrarySpans/*/spans/*",
	}
}

// Span is one span.
type Span struct {
	Trace, ID, Parent, Name string
	Start, End              int64 // nanoseconds since 1970, or frame.NoTime
	Attributes              Attributes
	Events                  []Event
}

// Event is one event of a span.
type Event struct {
	Name       string
	Attributes Attributes
}

// Attribute is one attribute with its value as plain JSON.
type Attribute struct {
	Key   string
	Value rawjson.Value
}

// Attributes are attributes in the order of the file.
type Attributes []Attribute

// Get gives the value of an attribute, nil where it is missing.
func (a Attributes) Get(key string) rawjson.Value {
	for i := range a {
		if a[i].Key == key {
			return a[i].Value
		}
	}
	return nil
}

// Text gives the first of these attributes that is a text and not empty.
func (a Attributes) Text(keys ...string) string {
	for _, key := range keys {
		if text, _ := a.Get(key).Text(); text != "" {
			return text
		}
	}
	return ""
}

// JSON gives an attribute that is a document: one that stands in a text, or the value itself. It is nil where that is no
// JSON.
func (a Attributes) JSON(key string) rawjson.Value {
	v := a.Get(key)
	if _, ok := v.Text(); ok {
		return document(v)
	}
	return v
}

// Document gives the document that stands in a text, where it is an object or a list, and any other value as it is.
func Document(v rawjson.Value) rawjson.Value {
	if doc := document(v); doc.Kind() == rawjson.Object || doc.Kind() == rawjson.Array {
		return doc
	}
	return v
}

// document gives the JSON that stands in a text; nil where that is none.
func document(v rawjson.Value) rawjson.Value {
	text, _ := v.Text()
	doc := rawjson.Value(text)
	if rawjson.Valid(doc) != nil {
		return nil
	}
	return doc[rawjson.Space(doc, 0):]
}

// Tokens gives the first of these attributes that is a count; -1 where none is.
func (a Attributes) Tokens(keys ...string) int64 {
	for _, key := range keys {
		if n := history.Tokens(a.Get(key)); n >= 0 {
			return n
		}
	}
	return -1
}

// Parse reads a span; ok is false where the value is none. It goes over the value once: spans with messages are long.
func Parse(v rawjson.Value) (s Span, ok bool) {
	s.Start, s.End = history.Guess(nil), history.Guess(nil)
	v.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "context":
			v.Fields(func(key []byte, v rawjson.Value) { s.ident(string(key), v) })
		case "name":
			s.Name, _ = v.Text()
		case "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime":
			s.Start = history.Guess(v)
		case "endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime":
			s.End = history.Guess(v)
		case "attributes":
			s.Attributes = attributes(v)
		case "events":
			v.Each(func(_ int, e rawjson.Value) bool {
				s.Events = append(s.Events, event(e))
				return true
			})
		default:
			s.ident(string(key), v)
		}
	})
	return s, s.ID != "" && (s.Trace != "" || s.Start != history.Guess(nil))
}

// ident reads one of the ids, which stand in the span or in its context.
func (s *Span) ident(key string, v rawjson.Value) {
	switch key {
	case "traceId", "trace_id":
		s.Trace, _ = v.Text()
	case "spanId", "span_id":
		s.ID, _ = v.Text()
	case "parentSpanId", "parent_span_id", "parent_id":
		s.Parent, _ = v.Text()
	}
}

// Key names the span among those of all traces.
func (s *Span) Key() string { return s.Trace + "/" + s.ID }

// Outer is the Key of the span around this one; empty where there is none.
func (s *Span) Outer() string {
	if s.Parent == "" {
		return ""
	}
	return s.Trace + "/" + s.Parent
}

// event reads an event. By some versions its content stands in a body.
func event(v rawjson.Value) Event {
	name, _ := v.Get("name").Text()
	return Event{name, append(attributes(v.Get("attributes")), attributes(v.Get("body"))...)}
}

// attributes reads an object, or OTLP's list of {key, value}.
func attributes(v rawjson.Value) (out Attributes) {
	v.Fields(func(key []byte, value rawjson.Value) { out = append(out, Attribute{string(key), value}) })
	v.Each(func(_ int, pair rawjson.Value) bool {
		if key, ok := pair.Get("key").Text(); ok {
			out = append(out, Attribute{key, plain(pair.Get("value"))})
		}
		return true
	})
	return out
}

// plain gives the value of OTLP's {stringValue: ...} and the like as JSON.
func plain(v rawjson.Value) (out rawjson.Value) {
	v.Fields(func(key []byte, inner rawjson.Value) {
		switch string(key) {
		case "stringValue", "boolValue", "doubleValue", "bytesValue", "string_value", "bool_value", "double_value":
			out = inner
		case "intValue", "int_value":
			out = inner
			if digits, ok := inner.Text(); ok {
				if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
					out = strconv.AppendInt(nil, n, 10)
				}
			}
		case "arrayValue", "array_value":
			out = list(inner.Get("values"))
		case "kvlistValue", "kvlist_value":
			out = object(inner.Get("values"))
		}
	})
	return out
}

func list(values rawjson.Value) rawjson.Value {
	out := rawjson.Value{'['}
	values.Each(func(i int, v rawjson.Value) bool {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, some(plain(v))...)
		return true
	})
	return append(out, ']')
}

func object(values rawjson.Value) rawjson.Value {
	out := rawjson.Value("{}")
	for _, a := range attributes(values) {
		out = history.WithMember(out, a.Key, a.Value)
	}
	return out
}

func some(v rawjson.Value) rawjson.Value {
	if v == nil {
		return rawjson.Value("null")
	}
	return v
}
