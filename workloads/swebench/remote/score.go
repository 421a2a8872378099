package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"paceline/sdk"
)

// results is the report of the SWE-bench harness, as far as it is used.
type results struct {
	Submitted json.RawMessage `json:"submitted_instances"`
	Resolved  json.RawMessage `json:"resolved_instances"`
	lists
}

// lists name instances. A service may leave them out.
type lists struct {
	SubmittedIDs []string `json:"submitted_ids"`
	ResolvedIDs  []string `json:"resolved_ids"`
	EmptyIDs     []string `json:"empty_patch_ids"`
	ErrorIDs     []string `json:"error_ids"`
}

// counters are checked results.
type counters struct {
	submitted, resolved uint64
	lists
}

// conclude makes the score of a run that succeeded.
func (e *evaluator) conclude(s state) (*sdk.EvaluateResponse, error) {
	text, err := e.results(s.Run)
	if passing(err) {
		return e.retry(s, err)
	}
	if err != nil {
		return nil, sdk.Errorf(sdk.CodeDataLoss, "run %s has no result: %w", s.Run, err)
	}
	c, err := e.instances.count(text)
	if err != nil {
		return nil, sdk.Errorf(sdk.CodeDataLoss, "run %s: its result is no score: %w", s.Run, err)
	}
	s.Done = c.submitted
	r, err := e.reply(s, fmt.Sprintf("%d of %d resolved", c.resolved, len(e.instances)))
	if err != nil {
		return nil, err
	}
	requested := uint64(len(e.instances))
	whole := c.submitted == requested
	r.Done, r.Items = true, e.instances.items(c)
	r.Score = &sdk.ConcludeScoreResponse{HigherIsBetter: true, Passed: whole, Complete: whole, Scored: c.submitted, Missing: requested - c.submitted,
		Score: &sdk.Value{Name: "resolved", Micro: int64(c.resolved * 1_000_000 / requested), Unit: "share"}, Parts: e.parts(c, s)}
	return r, nil
}

// results are in the run's last status, else in the artifact.
func (e *evaluator) results(run string) ([]byte, error) {
	p, err := e.service.look(run)
	if err != nil {
		return nil, err
	}
	if len(p.Result) > 0 && !bytes.Equal(p.Result, []byte("null")) {
		return p.Result, nil
	}
	return e.service.exchange(http.MethodGet, artifactPath(run, resultsName), nil, maxAnswer, patient)
}

// count reads results and holds them against what was asked for and against each other.
func (all instances) count(text []byte) (*counters, error) {
	var r results
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("not the JSON that is wanted: %w", err)
	}
	submitted, err := counter("submitted_instances", r.Submitted)
	if err != nil {
		return nil, err
	}
	resolved, err := counter("resolved_instances", r.Resolved)
	if err != nil {
		return nil, err
	}
	c := &counters{submitted, resolved, r.lists}
	switch {
	case submitted == 0:
		return nil, fmt.Errorf("submitted_instances is 0")
	case resolved > submitted || submitted > uint64(len(all)):
		return nil, fmt.Errorf("%d resolved, %d submitted and %d requested do not fit each other", resolved, submitted, len(all))
	}
	return c, c.fit(all)
}

// fit holds the lists against the counters. Where the resolved are not named, there is nothing to hold.
func (c *counters) fit(all instances) error {
	if c.ResolvedIDs == nil {
		return nil
	}
	if uint64(len(c.ResolvedIDs)) != c.resolved {
		return fmt.Errorf("resolved_instances is %d, and resolved_ids has %d", c.resolved, len(c.ResolvedIDs))
	}
	seen := map[string]bool{}
	for _, id := range c.ResolvedIDs {
		if seen[id] || !slices.Contains(all, id) {
			return fmt.Errorf("resolved_ids: %s is there twice, or was not asked for", named(id))
		}
		seen[id] = true
	}
	return nil
}

// counter reads a whole number, which some services write as text.
func counter(name string, raw json.RawMessage) (uint64, error) {
	text := bytes.Trim(raw, `"`)
	n, err := strconv.ParseUint(string(text), 10, 32)
	if err != nil || bytes.HasPrefix(text, []byte("+")) {
		return 0, fmt.Errorf("%s is %s, and a whole number is wanted", name, named(string(raw)))
	}
	return n, nil
}

// items are one for each instance, where the service names the resolved ones.
func (all instances) items(c *counters) []sdk.ItemScore {
	if c.ResolvedIDs == nil {
		return nil
	}
	items := make([]sdk.ItemScore, 0, len(all))
	for _, id := range all {
		item := sdk.ItemScore{Trajectory: id, Group: group(id), Scored: c.SubmittedIDs == nil || slices.Contains(c.SubmittedIDs, id)}
		switch {
		case slices.Contains(c.ResolvedIDs, id):
			item.Micro, item.Scored = 1_000_000, true
		case !item.Scored:
			item.Reason = "not submitted"
		case slices.Contains(c.EmptyIDs, id):
			item.Reason = "empty patch"
		case slices.Contains(c.ErrorIDs, id):
			item.Reason = "error of the harness"
		}
		items = append(items, item)
	}
	return items
}

// parts are the figures that packing needs; README.md names them.
func (e *evaluator) parts(c *counters, s state) []sdk.Value {
	whole := func(name string, n uint64) sdk.Value {
		return sdk.Value{Name: name, Micro: int64(n) * 1_000_000, Unit: "count"}
	}
	if c == nil {
		c = &counters{}
	}
	return []sdk.Value{
		whole("instances", uint64(len(e.instances))), whole("submitted", c.submitted), whole("resolved", c.resolved), whole("repeats", 1),
		{Name: "instance_ids", Micro: int64(len(e.instances)) * 1_000_000, Unit: "sha256:" + e.instances.digest()},
		whole("artifacts_missing", uint64(len(s.Missing))),
	}
}
