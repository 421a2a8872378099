package cli

import (
	"encoding/json"
	"slices"

	"paceline/cmd/runner/internal/config"
	"paceline/plugins/lock"
)

// defaultOrigin is where the validator comes from that nobody named, as run.json tells it.
const defaultOrigin = "default"

// addChecks adds the validator that judges every run, and notes that nobody named it.
func (b *builder) addChecks(origins map[string]string) {
	if b.byDefault = b.run.AddChecks(); b.byDefault && origins != nil {
		origins["validators."+config.DefaultValidator] = defaultOrigin
	}
}

// addedByDefault reads what addChecks noted in run.json. A run of an earlier runner has no such note.
func addedByDefault(origins json.RawMessage) bool {
	var m map[string]string
	return json.Unmarshal(origins, &m) == nil && m["validators."+config.DefaultValidator] == defaultOrigin
}

// limits are those of the run, for a component or a plugin by its full name. What the user did not name has the defaults, so
// that limits that fit what was named do not refuse the run for something else.
func (b *builder) limits(name string) (lock.Limits, error) {
	if b.byDefault && (name == config.DefaultValidator || name == config.DefaultCheck && !b.names(name)) {
		return lock.DefaultLimits(), nil
	}
	return limitsOf(b.run.Limits)
}

// names reports whether the run names a component of the plugin.
func (b *builder) names(plugin string) bool {
	all := append(workloadNames(b.run), judgeNames(b.run)...)
	return slices.ContainsFunc(all, func(full string) bool {
		of, _, err := splitName(full, b.run.Plugins)
		return err == nil && of == plugin && full != config.DefaultValidator
	})
}
