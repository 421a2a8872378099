package metrics

import (
	"reflect"
	"strings"

	"paceline/core/stats"
)

// Lookup finds one figure by its place in schemas/metrics/v1: the keys with dots between them, e.g. turns.ttft_ms.p99 or
// failures.failed_turns. A figure with a reason beside it may be named without .value. known is false where the format has no
// such figure; lists have no names. The reason is told where the figure is missing.
func (m *Metrics) Lookup(path string) (value stats.Num, reason string, known bool) {
	at := reflect.ValueOf(m).Elem()
	for key := range strings.SplitSeq(path, ".") {
		if at.Kind() == reflect.Pointer {
			if at.IsNil() {
				at = reflect.Zero(at.Type().Elem())
			} else {
				at = at.Elem()
			}
		}
		if at.Kind() != reflect.Struct {
			return value, "", false
		}
		if r := at.FieldByName("Reason"); r.IsValid() && r.Kind() == reflect.String {
			reason = r.String()
		}
		if at = field(at, key); !at.IsValid() {
			return value, "", false
		}
	}
	return leaf(at, reason)
}

// field finds a member by its key, also in what is embedded.
func field(at reflect.Value, key string) reflect.Value {
	for i := range at.NumField() {
		f := at.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported():
		case f.Anonymous && name == "":
			if found := field(at.Field(i), key); found.IsValid() {
				return found
			}
		case name == key:
			return at.Field(i)
		}
	}
	return reflect.Value{}
}

// NoFigure is the reason for a figure that is missing and has no reason of its own.
const NoFigure = "there is none"

func leaf(at reflect.Value, reason string) (stats.Num, string, bool) {
	var n stats.Num
	switch v := at.Interface().(type) {
	case stats.Num:
		n = v
	case Figure:
		n, reason = v.Value, v.Reason
	case int:
		n = stats.Ratio(int64(v), 1)
	case int64:
		n = stats.Ratio(v, 1)
	case *int:
		if v != nil {
			n = stats.Ratio(int64(*v), 1)
		}
	default:
		return n, "", false
	}
	if n.Valid() {
		return n, "", true
	}
	if reason == "" {
		reason = NoFigure
	}
	return n, reason, true
}
