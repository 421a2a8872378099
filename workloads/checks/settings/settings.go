// Package settings reads what the configurations of the checks have beyond plain options: switches, lists and objects.
package settings

import (
	"fmt"
	"slices"
	"strings"

	"paceline/workloads/options"
	"paceline/workloads/rawjson"
)

// Reader reads one configuration. Options tells the faults of all that is read.
type Reader struct {
	*options.Reader
	config rawjson.Value
}

// Read checks that config is an object with no other keys than the known ones; empty is an empty object.
func Read(config []byte, known ...string) *Reader {
	r := &Reader{Reader: options.Read(config, known...)}
	if rawjson.Valid(config) == nil {
		r.config = config[rawjson.Space(config, 0):]
	}
	return r
}

// Flag reads true or false; false where the option is missing, null or faulty.
func (r *Reader) Flag(key string) bool {
	v := r.config.Get(key)
	if v.Missing() {
		return false
	}
	if v.Kind() != rawjson.Bool {
		r.Fault("/"+key, "option-type", "true or false", "%s is %s", key, v)
		return false
	}
	return v[0] == 't'
}

// Words reads a list of words; set is false where the option is missing, null or faulty. With known words, others are faults.
func (r *Reader) Words(key string, known ...string) (list []string, set bool) {
	v := r.config.Get(key)
	if v.Missing() {
		return nil, false
	}
	expected := "a list of strings"
	if len(known) > 0 {
		expected = "a list of " + strings.Join(known, ", ")
	}
	if v.Kind() != rawjson.Array {
		r.Fault("/"+key, "option-type", expected, "%s is no list", key)
		return nil, false
	}
	v.Each(func(i int, element rawjson.Value) bool {
		text, ok := element.Text()
		if !ok || len(known) > 0 && !slices.Contains(known, text) {
			r.Fault(fmt.Sprintf("/%s/%d", key, i), "option-choice", expected, "%s has %s", key, element)
			return true
		}
		list = append(list, text)
		return true
	})
	return list, true
}

// Object gives the members of an option that is an object, in their order.
func (r *Reader) Object(key string, yield func(name string, value rawjson.Value)) {
	v := r.config.Get(key)
	if v.Missing() {
		return
	}
	if v.Kind() != rawjson.Object {
		r.Fault("/"+key, "option-type", "an object", "%s is no object", key)
		return
	}
	v.Fields(func(name []byte, value rawjson.Value) { yield(string(name), value) })
}

// Pointer is the JSON pointer of a member of an option that is an object.
func Pointer(key, member string) string {
	return "/" + key + "/" + strings.ReplaceAll(strings.ReplaceAll(member, "~", "~0"), "/", "~1")
}
