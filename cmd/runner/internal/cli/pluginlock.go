package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"paceline/plugins/lock"
	"paceline/plugins/store"
)

// locking is how a lock is written.
type locking struct {
	sourceFlags
	out         string
	allowNative bool
	update      bool     // plugin update: references are resolved anew
	names       []string // only those of these plugins; empty: all
	before      *lock.Lock
}

func (l *locking) register(c *cobra.Command) {
	c.Flags().BoolVar(&l.allowNative, "allow-native", false, "let native plugins run, with the capabilities that they ask for")
	c.Flags().StringVar(&l.out, "out", "", "lock `FILE` (default paceline.lock beside the run file)")
	l.sourceFlags.register(c)
}

// ready reads the lock that is there and says what the builder holds plugins to.
func (l *locking) ready(b *builder, runFile string) (err error) {
	if l.out == "" {
		l.out = filepath.Join(folderOf(runFile), lock.FileName)
	}
	if b.policy, err = readPolicy(l.policy); err != nil {
		return err
	}
	b.plainHTTP = l.plainHTTP
	if l.before, err = lock.Read(l.out); err != nil {
		if l.update {
			return fail(exitInput, err)
		}
		l.before = nil // what cannot be read is written anew
	}
	if !l.update {
		b.pins = l.before
		return nil
	}
	if l.before == nil {
		return failHint(exitInput, fmt.Errorf("no lock at %s", l.out), "`runner plugin lock RUNFILE` makes one")
	}
	for i, name := range l.names {
		l.names[i] = store.Canonical(name)
		name = l.names[i]
		if entryOf(l.before, name) == nil {
			return fail(exitInput, fmt.Errorf("%s has no plugin %s; it has %s", l.out, name, namesOf(l.before)))
		}
	}
	b.locked = l.before
	b.fresh = func(plugin string) bool {
		return len(l.names) == 0 || slices.Contains(l.names, plugin)
	}
	return nil
}

func namesOf(l *lock.Lock) string {
	text := ""
	for i, p := range l.Plugins {
		if i > 0 {
			text += ", "
		}
		text += p.Name
	}
	return text
}

// change is a plugin whose entry is another now.
type change struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// written is what is told of a lock that was written.
type written struct {
	File    string     `json:"file"`
	Changed []change   `json:"changed"`
	Lock    *lock.Lock `json:"lock"`
}

// changes lists the plugins of both locks whose source, version or files differ.
func (l *locking) changes(now *lock.Lock) []change {
	list := []change{}
	for _, p := range now.Plugins {
		old := entryOf(l.before, p.Name)
		if old == nil || old.Source == p.Source && old.Version == p.Version && slices.Equal(old.Files, p.Files) {
			continue
		}
		list = append(list, change{Name: p.Name, Before: entryText(*old), After: entryText(p)})
	}
	return list
}

func entryText(p lock.Plugin) string {
	text := p.Version + " " + p.Source
	for _, f := range p.Files {
		text += " " + f.Name + " sha256 " + f.SHA256.String()
	}
	return text
}

func (l *locking) show(a *app, now *lock.Lock) error {
	changed := l.changes(now)
	if l.json {
		return writeJSON(a.Stdout, &written{File: l.out, Changed: changed, Lock: now})
	}
	for _, p := range now.Plugins {
		for _, f := range p.Files {
			fmt.Fprintf(a.Stdout, "plugin  %s %s %s sha256 %s\n", p.Name, p.Version, f.Name, f.SHA256)
		}
		for _, s := range p.Signers {
			fmt.Fprintf(a.Stdout, "signed  %s by %s:%s\n", p.Name, s.Scheme, s.Key)
		}
		if p.Native {
			fmt.Fprintf(a.Stdout, "grants  %s may run natively, outside of the sandbox; capabilities: %s\n", p.Name, capabilityList(p.Granted))
		}
	}
	for _, in := range now.Inputs {
		fmt.Fprintf(a.Stdout, "input   %s of %s sha256 %s\n", in.Name, in.Component, in.SHA256)
	}
	for _, c := range changed {
		fmt.Fprintf(a.Stdout, "changed %s\n        before  %s\n        now     %s\n", c.Name, c.Before, c.After)
	}
	if l.update && len(changed) == 0 {
		fmt.Fprintln(a.Stdout, "nothing has changed")
	}
	fmt.Fprintf(a.Stdout, "wrote   %s\n", l.out)
	return nil
}

func (a *app) updateCommand() *cobra.Command {
	l := locking{update: true}
	c := &cobra.Command{
		Use:   "update RUNFILE [NAME...]",
		Short: "Take newer plugins into a lock",
		Long: "Asks again what the tags of a run file's plugins mean, reads its files anew, and writes paceline.lock with what is there now.\n" +
			"With NAMEs only those plugins may change. Whatever else differs from the lock is refused.",
		Example: "  runner plugin update bench.yaml\n  runner plugin update bench.yaml acme/search --policy policy.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failHint(exitUsage, errors.New("update wants RUNFILE"), "see runner plugin update --help")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			l.names = args[1:]
			return a.lockFile(c.Context(), args[0], &l)
		},
	}
	l.register(c)
	return c
}
