package viz

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// each calls f for the entries of an accuracy file: a list, or a map by name.
func each(v any, f func(name string, e Document)) {
	switch all := v.(type) {
	case []any:
		for _, e := range all {
			if d, ok := e.(Document); ok {
				f(text(first(d["dataset_name"], d["extractor"], "score")), d)
			}
		}
	case Document:
		for _, name := range sorted(all) {
			if d, ok := all[name].(Document); ok {
				f(name, d)
			}
		}
	}
}

func sorted(d Document) []string { return slices.Sorted(maps.Keys(d)) }

// short writes a score with at most four digits after the point.
func short(f float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 4, 64), "0"), ".")
}
