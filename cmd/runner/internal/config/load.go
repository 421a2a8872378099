package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"paceline/core/journal"
)

// Resolved is a run with the origin of each value: a preset, a file with its line, "environment", or a flag.
type Resolved struct {
	Run     Run
	Origins map[string]string // dotted key -> origin; keys that nobody set are left out
	Preset  *journal.Preset   // what the lowest layer is of; nil: none

	given map[string]string // joined path -> origin
}

// Resolve layers what it is given over the defaults, the last layer on top, and refuses unknown keys and wrong types.
func Resolve(layers ...Layer) (Resolved, error) {
	r := Resolved{Run: Defaults(), Origins: map[string]string{}}
	k := koanf.New(sep)
	var errs []error
	paths := map[string]string{}
	for _, l := range settle(layers) {
		errs = append(errs, unknown(l)...)
		if err := k.Load(confmap.Provider(l.Values, sep), nil); err != nil {
			return r, fmt.Errorf("%s: %w", l.Name, err)
		}
		origins(l, l.Values, "", paths)
	}
	if len(errs) > 0 {
		return r, errors.Join(errs...)
	}
	conf := koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		TagName: "koanf", ErrorUnused: true, ZeroFields: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(durations, texts),
	}}
	if err := k.UnmarshalWithConf("", &r.Run, conf); err != nil {
		return r, explain(err, paths)
	}
	r.given = paths
	r.Run.fillMembers()
	r.Run.fillTargets()
	r.Run.Load.fill(paths)
	for p, o := range paths {
		r.Origins[show(p)] = o
	}
	return r, nil
}

func origins(l Layer, m map[string]any, path string, into map[string]string) {
	for key, v := range m {
		p := join(path, key)
		if sub, ok := v.(map[string]any); ok && len(sub) > 0 {
			origins(l, sub, p, into)
			continue
		}
		into[p] = l.where(p)
	}
}

// explain turns the decoder's errors into lines that name the origin and the key.
func explain(err error, paths map[string]string) error {
	var joined interface{ Unwrap() []error }
	list := []error{err}
	if errors.As(err, &joined) {
		list = joined.Unwrap()
	}
	var errs []error
	for _, e := range list {
		text := strings.TrimPrefix(e.Error(), "decoding failed due to the following error(s):\n\n")
		for p, origin := range paths {
			if strings.Contains(text, "'"+strings.ReplaceAll(p, sep, ".")+"'") {
				text = origin + ": " + text
				break
			}
		}
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// durations reads "3s"; a bare number is refused, since nobody can tell its unit.
func durations(from, to reflect.Type, v any) (any, error) {
	if to != reflect.TypeFor[time.Duration]() || from == to {
		return v, nil
	}
	text, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("%v has no unit: write a duration such as 500ms, 3s or 10m", v)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no duration: write e.g. 500ms, 3s or 10m", text)
	}
	if d < 0 {
		return nil, fmt.Errorf("%q is negative", text)
	}
	return d, nil
}

// texts lets numbers stand where a text is wanted, e.g. seed: 42 or model: 7.
func texts(from, to reflect.Type, v any) (any, error) {
	if to.Kind() != reflect.String {
		return v, nil
	}
	switch from.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
		return fmt.Sprint(v), nil
	default:
		return v, nil
	}
}
