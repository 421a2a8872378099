package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/store"
)

// loadNative loads a native plugin where it is allowed to run; nothing is started yet.
func (b *builder) loadNative(file *store.Module) (*module, error) {
	granted, err := b.allowed(file)
	if err != nil {
		return nil, err
	}
	loaded, err := b.stage.host.LoadNative(host.NativeModule{Name: file.Name, Path: file.Path, Code: file.Bytes,
		Manifest: file.Native.Manifest, Granted: granted})
	if err != nil {
		return nil, err
	}
	return &module{file: file, loaded: loaded, granted: granted}, nil
}

// allowed gives what a native plugin is granted: by `plugin lock --allow-native` what it asks for, else what the lock says. A
// run folder may come from anywhere, so for judging its lock alone is not enough.
func (b *builder) allowed(file *store.Module) ([]lock.Capability, error) {
	if b.grant {
		return asks(file.Native.Manifest), nil
	}
	what := fmt.Sprintf("plugin %s is native: %s would run outside of the sandbox, with all that you may do", file.Name, file.Path)
	if b.judges && !b.allowNative {
		return nil, failHint(exitInput, errors.New(what), "--allow-native lets it, if you trust the run folder and the file")
	}
	if p := b.entry(file.Name); p != nil && p.Native {
		return append([]lock.Capability{}, p.Granted...), nil
	}
	return nil, failHint(exitInput, errors.New(what+"; no lock grants that"), "`runner plugin lock RUNFILE --allow-native` does, if you trust it")
}

// asks are the capabilities that a plugin's components ask for, sorted.
func asks(m *lock.Manifest) []lock.Capability {
	all := []lock.Capability{}
	for _, c := range m.Components {
		all = append(all, c.Capabilities...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func capabilityList(list []lock.Capability) string {
	if len(list) == 0 {
		return "none"
	}
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = string(c)
	}
	return strings.Join(texts, ", ")
}

// containerLabel marks the containers of this process's plugins.
func containerLabel() string { return "paceline.run=" + strings.ToLower(rand.Text()) }
