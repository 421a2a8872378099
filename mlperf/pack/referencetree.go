package pack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"paceline/mlperf/describe"
	"paceline/mlperf/export"
)

// referenceTree puts the runs into a tree: for each concurrency a performance run, with the scores of an accuracy run beside.
func referenceTree(runs []*referenceRun, out *reasons) (Tree, []int) {
	t, byPoint := Tree{}, map[int]*referenceRun{}
	var points []int
	for _, r := range runs {
		if r.kind != "performance" {
			continue
		}
		if other := byPoint[r.point.Concurrency]; other != nil {
			out.add(r.dir, "pack one of them", "%s is a performance run at the same concurrency %d", other.dir, r.point.Concurrency)
			continue
		}
		byPoint[r.point.Concurrency] = r
		points = append(points, r.point.Concurrency)
	}
	for _, r := range runs {
		if r.kind == "performance" {
			continue
		}
		if to := byPoint[r.point.Concurrency]; to == nil {
			out.add(r.dir, "add the performance run", "it is an accuracy run at concurrency %d, at which there is no performance run", r.point.Concurrency)
		} else if err := to.score(r); err != nil {
			out.add(r.dir, "", "%v", err)
		}
	}
	slices.Sort(points)
	most := 0.0
	for _, c := range points {
		most = max(most, byPoint[c].tps())
	}
	for _, r := range runs {
		if byPoint[r.point.Concurrency] != r {
			continue
		}
		if err := r.put(t, most); err != nil {
			out.add(r.dir, "give all run folders the same one", "%v", err)
		}
	}
	for _, r := range runs {
		if err := r.putShared(t); err != nil {
			out.add(r.dir, "give all run folders the same one", "%v", err)
		}
	}
	return t, points
}

func (r *referenceRun) tps() float64 {
	if r.summary.Duration <= 0 {
		return 0
	}
	return r.summary.Output.Total / (r.summary.Duration / 1e9)
}

// folder is the point's in the package.
func (r *referenceRun) folder() string {
	return path.Join("results", describe.Folder(r.system.Name), describe.Folder(r.point.Model), fmt.Sprintf("r%d", r.point.Concurrency))
}

func (r *referenceRun) put(t Tree, most float64) error {
	dir := r.folder()
	for _, f := range referenceFiles {
		text, ok := r.files[f.to]
		if !ok || f.to == "system_power.json" {
			continue
		}
		if f.to == "system_desc.json" && most > 0 {
			var err error
			if text, err = withUtilization(text, four(r.tps()/most)); err != nil {
				return fault(f.to, err)
			}
		}
		if err := t.put(path.Join(dir, f.to), Content{Bytes: text}); err != nil {
			return err
		}
	}
	for _, name := range alsoCopied {
		if file := filepath.Join(r.dir, filepath.FromSlash(name)); exists(file) {
			if err := t.put(path.Join(dir, name), Content{From: file}); err != nil {
				return err
			}
		}
	}
	if exists(r.dir, "server_configs") {
		return t.putFolder(path.Join(dir, "server_configs"), filepath.Join(r.dir, "server_configs"))
	}
	return nil
}

// putShared adds what all points of a system have in common.
func (r *referenceRun) putShared(t Tree) error {
	var errs []error
	if text, ok := r.files["system_power.json"]; ok {
		errs = append(errs, t.put(path.Join("results", describe.Folder(r.system.Name), "system_power.json"), Content{Bytes: text}))
	}
	for _, f := range []struct{ from, to string }{{"src", "src"}, {"documentation", "docs"}} {
		if exists(r.dir, f.from) {
			errs = append(errs, t.putFolder(f.to, filepath.Join(r.dir, f.from)))
		}
	}
	return errors.Join(errs...)
}

// score adds the scores of an accuracy run to those of a performance run, whose inline entry stays.
func (r *referenceRun) score(other *referenceRun) error {
	var into, from struct {
		Tokenization json.RawMessage   `json:"osl_tokenization_s,omitempty"`
		Scores       []json.RawMessage `json:"accuracy_scores"`
	}
	if text := r.files["accuracy_results.json"]; text != nil {
		if err := fault("accuracy_results.json", json.Unmarshal(text, &into)); err != nil {
			return err
		}
	}
	if err := fault("accuracy_results.json", json.Unmarshal(other.files["accuracy_results.json"], &from)); err != nil {
		return err
	}
	for _, entry := range from.Scores {
		var kind struct {
			Type string `json:"dataset_type"`
		}
		if err := fault("accuracy_results.json", json.Unmarshal(entry, &kind)); err != nil {
			return err
		}
		if kind.Type != "performance" {
			into.Scores = append(into.Scores, entry)
		}
	}
	text, err := export.JSON(into)
	r.files["accuracy_results.json"] = text
	return err
}

// four rounds to four decimals, as shares of the curve's highest throughput are written.
func four(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// utilization is the key of system_desc.json that tells a point's share of its curve's highest throughput.
const utilization = "tps_utilization"

// withUtilization sets it behind the other keys, which stay as they are.
func withUtilization(text []byte, share float64) ([]byte, error) {
	return rekeyed(text, fmt.Sprintf("%q:%v", utilization, share))
}

// withoutUtilization takes it out: run folders do not have it, since they are put together later.
func withoutUtilization(text []byte) ([]byte, error) { return rekeyed(text, "") }

// rekeyed drops the key, and puts a last member behind the others unless it is empty.
func rekeyed(text []byte, last string) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("want an object")
	}
	var members []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		if name != utilization {
			members = append(members, string(quoted)+":"+string(value))
		}
	}
	if last != "" {
		members = append(members, last)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte("{"+strings.Join(members, ",")+"}"), "", " "); err != nil {
		return nil, err
	}
	return append(out.Bytes(), '\n'), nil
}
