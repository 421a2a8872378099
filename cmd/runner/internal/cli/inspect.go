package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"paceline/cmd/runner/internal/config"
	"paceline/cmd/runner/internal/configschema"
	"paceline/plugins/lock"
	"paceline/plugins/store"
)

// pluginOf gives the plugin of the name of a plugin, a component or a preset.
func pluginOf(name string) string {
	if cut := strings.Index(name, ".wasm/"); cut >= 0 {
		return name[:cut+len(".wasm")]
	}
	if parts := strings.Split(name, "/"); !store.IsFile(name) && len(parts) > 2 {
		return strings.Join(parts[:2], "/")
	}
	return name
}

// detailIndent is where the lines below a component's or a preset's name begin.
const detailIndent = "          "

// appendKeys tells the keys of a component's configuration.
func appendKeys(b []byte, raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return append(b, detailIndent+"configuration: the manifest does not tell\n"...)
	}
	schema, err := configschema.Read(raw)
	if err != nil {
		return fmt.Appendf(b, detailIndent+"configuration: %s\n", wrap(err.Error(), detailIndent))
	}
	keys := schema.Keys()
	if len(keys) == 0 {
		return append(b, detailIndent+"no configuration\n"...)
	}
	for _, k := range keys {
		text := printable(k.Name) + ": " + k.Want
		if k.Required {
			text += "; required"
		}
		if k.Default != "" {
			text += "; default " + k.Default
		}
		if k.About != "" {
			text += ": " + k.About
		}
		indent := detailIndent + "    "
		b = fmt.Appendf(b, detailIndent+"  %s\n", wrap(text, indent))
	}
	return b
}

// appendPreset tells what a preset sets and what it asks for, or why it cannot be used.
func (p *inspected) appendPreset(b []byte, preset *lock.Preset) []byte {
	b = fmt.Appendf(b, "preset    %s\n", p.Name+"/"+preset.Name)
	if preset.Summary != "" {
		b = fmt.Appendf(b, detailIndent+"%s\n", wrap(preset.Summary, detailIndent))
	}
	_, resolved, err := config.Preset(config.PresetOf{Plugin: p.Name, SHA256: p.SHA256}, preset)
	if err != nil {
		return fmt.Appendf(b, detailIndent+"CANNOT BE USED: %s\n", wrap(err.Error(), detailIndent))
	}
	if r := preset.Rules; r != nil {
		b = fmt.Appendf(b, detailIndent+"  %s\n", wrap(strings.TrimSuffix("rules: "+r.Of+"; "+string(r.Status)+": "+r.Reason, ": "), detailIndent+"    "))
	}
	var run map[string]json.RawMessage
	if json.Unmarshal(resolved.Run, &run) == nil {
		for _, key := range slices.Sorted(maps.Keys(run)) {
			b = fmt.Appendf(b, detailIndent+"  %s\n", wrap(key+": "+spaced(run[key]), detailIndent+"    "))
		}
	}
	for _, t := range preset.Thresholds {
		b = fmt.Appendf(b, detailIndent+"  %s\n", wrap("asks for "+asked(&t), detailIndent+"    "))
	}
	return b
}

// spaced writes JSON with a space behind each comma and colon between values, so that it can be wrapped.
func spaced(raw json.RawMessage) string {
	var b strings.Builder
	quoted, escaped := false, false
	for _, c := range raw {
		b.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func asked(t *lock.Threshold) string {
	text := t.Metric
	if text == "" {
		text = t.Component + " " + t.Value
	}
	var bounds []string
	if t.Min != "" {
		bounds = append(bounds, "at least "+t.Min)
	}
	if t.Max != "" {
		bounds = append(bounds, "at most "+t.Max)
	}
	text += ": " + strings.Join(bounds, " and ")
	if t.FromUsers > 0 {
		text += fmt.Sprintf(", from %d users on", t.FromUsers)
	}
	if t.ToUsers > 0 {
		text += fmt.Sprintf(", up to %d users", t.ToUsers)
	}
	return text
}
