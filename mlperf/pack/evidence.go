package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/mlperf/describe"
	"paceline/mlperf/export"
)

// evidence adds what an auditor may ask for of each run. The content store stays out: it has the texts of the data set.
func evidence(t Tree, runs []*export.Run, found *Found) error {
	for _, r := range runs {
		names, err := os.ReadDir(r.Dir)
		if err != nil {
			return err
		}
		for _, e := range names {
			if !isEvidence(e.Name()) {
				continue
			}
			name := fmt.Sprintf("%s/r%d/%s", EvidenceDir, r.Concurrency(), e.Name())
			if err := t.put(name, Content{From: filepath.Join(r.Dir, e.Name())}); err != nil {
				return err
			}
		}
	}
	for i, file := range found.Sweeps {
		name := EvidenceDir + "/" + sweepFile
		if i > 0 {
			name = fmt.Sprintf("%s/sweep-%d.json", EvidenceDir, i+1)
		}
		if err := t.put(name, Content{From: file}); err != nil {
			return err
		}
	}
	return nil
}

// isEvidence tells the files of a run folder that go into a package, by name: what is not known stays out.
func isEvidence(name string) bool {
	for _, pattern := range []string{journal.RunFile, journal.LockFile, journal.JudgementsFile, "report.json", "report.txt", "journal-*.jsonl.zst", "evaluation-*.jsonl.zst"} {
		if ok, err := filepath.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}

// plugins adds the sandboxed plugins that the runs were pinned to, and notes which it could not.
func plugins(t Tree, m *Meta, runs []*export.Run, o *Options) error {
	if o.Plugin == nil {
		return nil
	}
	for _, r := range runs {
		for _, p := range r.Config.Plugins {
			code, err := o.Plugin(r, p)
			if err != nil {
				return fmt.Errorf("%s: plugin %s: %w", label(r), p.Name, err)
			}
			if code == nil {
				note := fmt.Sprintf("plugin %s (sha256 %s) is not in the package: it is native, or not on this machine any more", p.Name, p.SHA256)
				if !slices.Contains(m.Notes, note) {
					m.Notes = append(m.Notes, note)
				}
				continue
			}
			if sum := digest.Of(code); sum != p.SHA256 {
				return fmt.Errorf("%s: plugin %s has sha256 %s now, the run had %s", label(r), p.Name, sum, p.SHA256)
			}
			if err := t.put(PluginFile(p.SHA256), Content{Bytes: code}); err != nil {
				return err
			}
		}
	}
	return nil
}

// PluginFile is where a package keeps a sandboxed plugin.
func PluginFile(sum digest.SHA256) string { return EvidenceDir + "/plugins/" + sum.String() + ".wasm" }

// source adds src/<implementation>, to the package and to the run folders.
func source(t, upload Tree, d *describe.Description, o *Options) error {
	folder := "src/" + d.Implementation.Name
	if o.Src != "" {
		if err := t.putFolder(folder, o.Src); err != nil {
			return err
		}
	}
	if _, there := t[folder+"/README.md"]; !there {
		if err := t.put(folder+"/README.md", Content{Bytes: implementation(d)}); err != nil {
			return err
		}
	}
	for name, c := range t.below("src") {
		for _, point := range uploadPoints(upload) {
			if err := upload.put(point+"/src/"+name, c); err != nil {
				return err
			}
		}
	}
	return nil
}
