package remote

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"paceline/sdk"
)

const resultsName = "swe_bench_results.json"

// names are the artifacts that a service may have; all else that it lists is left there.
func names() []string {
	return []string{"preds.json", resultsName, "swe_bench_agent.log", "swe_bench_eval.log", "status.json"}
}

func artifactPath(run, name string) string { return "/v1/runs/" + run + "/artifacts/" + name }

// fetch takes one artifact into the folder for them, the next in each step. One that cannot be had is evidence that is
// missing, and no other score.
func (e *evaluator) fetch(s state) (*sdk.EvaluateResponse, error) {
	if e.Artifacts == "" {
		s.Artifacts = len(names())
		return e.reply(s, "run "+s.Run+": artifacts stay at the service")
	}
	name := names()[s.Artifacts]
	err := e.keep(s.Run, name)
	if passing(err) {
		return e.retry(s, err)
	}
	if err != nil {
		e.warn("artifact %s is missing: %v", name, err)
		s.Missing = append(s.Missing, name)
	}
	s.Away = 0
	s.Artifacts++
	return e.reply(s, fmt.Sprintf("run %s: %d of %d artifacts", s.Run, s.Artifacts-len(s.Missing), len(names())))
}

// keep writes one artifact whole, or not at all.
func (e *evaluator) keep(run, name string) error {
	p, err := e.service.look(run)
	if err != nil {
		return err
	}
	for _, a := range p.Artifacts {
		if !slices.Contains(names(), a.Name) {
			e.warn("artifact %s is none that is known, and is left at the service", named(a.Name))
		}
	}
	if !slices.ContainsFunc(p.Artifacts, func(a artifact) bool { return a.Name == name }) {
		return fmt.Errorf("run %s does not list it", run)
	}
	text, err := e.service.exchange("GET", artifactPath(run, name), nil, maxArtifact, patient)
	if err != nil {
		return err
	}
	return write(filepath.Join(e.Artifacts, run), name, text)
}

func write(dir, name string, text []byte) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".paceline-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, name))
}
