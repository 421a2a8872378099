package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// leafPaths lists every key of a run file that takes one value, or a free group of keys, in order.
func leafPaths() []string {
	var paths []string
	walk(reflect.TypeFor[Run](), "", func(path string, _ reflect.Type) { paths = append(paths, path) })
	return paths
}

func walk(t reflect.Type, path string, leaf func(string, reflect.Type)) {
	for f := range t.Fields() {
		p := join(path, f.Tag.Get("koanf"))
		if f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[time.Duration]() {
			walk(f.Type, p, leaf)
			continue
		}
		leaf(p, f.Type)
	}
}

// unknown returns one error per key of the layer that a run file does not have, sorted.
func unknown(l Layer) []error {
	known, free := map[string]bool{}, map[string]bool{}
	walk(reflect.TypeFor[Run](), "", func(path string, t reflect.Type) {
		if t.Kind() == reflect.Map {
			free[path] = true
		}
		for p := path; p != ""; p = parent(p) {
			known[p] = true
		}
	})
	var errs []error
	var visit func(m map[string]any, path string)
	visit = func(m map[string]any, path string) {
		for _, key := range sortedKeys(m) {
			p := join(path, key)
			if !known[p] {
				errs = append(errs, fmt.Errorf("%s: %s: unknown key%s", l.where(p), show(p), nearest(show(p), shown(known))))
				continue
			}
			if sub, ok := m[key].(map[string]any); ok && !free[p] {
				visit(sub, p)
			}
		}
	}
	visit(l.Values, "")
	return slices.Concat(errs, unknownMembers(l), unknownPlaces(l))
}

func shown(known map[string]bool) []string {
	var names []string
	for _, p := range sortedKeys(known) {
		names = append(names, show(p))
	}
	return names
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Path writes a key's parts as one key, the way that --set and messages have it.
func Path(parts ...string) string { return show(strings.Join(parts, sep)) }

// Nearest returns "; did you mean X?" for the name closest to word, or nothing where none is close.
func Nearest(word string, names []string) string { return nearest(word, names) }

// nearest returns "; did you mean X?" for the name closest to word, or nothing where none is close.
func nearest(word string, names []string) string {
	best, least := "", len(word)/2+1
	for _, n := range names {
		if d := distance(word, n); d < least {
			best, least = n, d
		}
		// The right key in the wrong group is a common slip: compare the last parts too.
		if d := distance(last(word), last(n)) + 1; d < least && d <= 2 {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// distance is the number of edits between a and b: a byte more, less or another, or two neighbours that changed places.
func distance(a, b string) int {
	var before, row []int // of the two letters of a before this one
	next := make([]int, len(b)+1)
	for j := range next {
		next[j] = j
	}
	for i := range len(a) {
		before, row, next = row, next, make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost++
			}
			next[j+1] = min(cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
	}
	return next[len(b)]
}
