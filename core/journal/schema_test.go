package journal_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

const schemaDir = "../../schemas/journal/v1"

// schema is the part of JSON Schema that the journal's own schema uses.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       any                `json:"type"`
	Const      any                `json:"const"`
	Enum       []any              `json:"enum"`
	Pattern    string             `json:"pattern"`
	Minimum    *float64           `json:"minimum"`
	Required   []string           `json:"required"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	OneOf      []*schema          `json:"oneOf"`
	Defs       map[string]*schema `json:"$defs"`
}

func readSchema(t *testing.T) *schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(schemaDir, "journal.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func (root *schema) resolve(s *schema) *schema {
	if s.Ref != "" {
		return root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	return s
}

// check returns what is wrong with v at a place of the document.
func (root *schema) check(s *schema, at string, v any) error {
	s = root.resolve(s)
	if len(s.OneOf) > 0 {
		return root.checkOneOf(s, at, v)
	}
	if s.Const != nil && s.Const != v || s.Enum != nil && !slices.Contains(s.Enum, v) {
		return fmt.Errorf("%s: %v is not allowed", at, v)
	}
	switch x := v.(type) {
	case map[string]any:
		for _, key := range s.Required {
			if _, ok := x[key]; !ok {
				return fmt.Errorf("%s: %s is missing", at, key)
			}
		}
		for key, value := range x {
			p := s.Properties[key]
			if p == nil {
				if s.Properties == nil {
					continue
				}
				return fmt.Errorf("%s: %s is not described", at, key)
			}
			if err := root.check(p, at+"/"+key, value); err != nil {
				return err
			}
		}
		return typed(s, at, "object")
	case []any:
		for i, value := range x {
			if err := root.check(s.Items, fmt.Sprintf("%s/%d", at, i), value); err != nil {
				return err
			}
		}
		return typed(s, at, "array")
	case string:
		if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(x) {
			return fmt.Errorf("%s: %q does not match %s", at, x, s.Pattern)
		}
		return typed(s, at, "string")
	case float64:
		if s.Minimum != nil && x < *s.Minimum {
			return fmt.Errorf("%s: %v is too small", at, x)
		}
		return typed(s, at, "integer")
	case bool:
		return typed(s, at, "boolean")
	}
	return typed(s, at, "null")
}

func typed(s *schema, at, kind string) error {
	list, ok := s.Type.([]any)
	if s.Type == nil || s.Type == kind || ok && slices.Contains(list, any(kind)) {
		return nil
	}
	return fmt.Errorf("%s: is of type %s, want %v", at, kind, s.Type)
}

func (root *schema) checkOneOf(s *schema, at string, v any) error {
	var errs []string
	for _, one := range s.OneOf {
		err := root.check(one, at, v)
		if err == nil {
			return nil
		}
		errs = append(errs, one.Ref+": "+err.Error())
	}
	return fmt.Errorf("%s fits nothing:\n%s", at, strings.Join(errs, "\n"))
}

// TestSchemaDescribesTheRecords compares every record's fields with the schema and the README.
func TestSchemaDescribesTheRecords(t *testing.T) {
	root := readSchema(t)
	readme, err := os.ReadFile(filepath.Join(schemaDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{
		"record_head": journal.Head{}, "record_plan": journal.Plan{}, "record_start": journal.Start{}, "record_end": journal.End{},
		"record_sent": journal.Sent{}, "record_live": journal.Live{}, "record_sample": journal.Sample{},
		"record_phase": journal.PhaseChange{}, "record_probe": journal.Probe{}, "record_recheck": journal.Recheck{}, "record_selfcheck": journal.SelfCheck{},
		"record_telemetry": journal.Telemetry{}, "reading": engine.Reading{}, "record_foot": journal.Foot{}, "content": journal.Content{}, "timing": journal.Timing{},
		"record_evaluation": journal.EvaluationHead{}, "record_evaluate": journal.Evaluate{}, "record_relay": journal.Relayed{},
		"record_evaluation_end": journal.EvaluationFoot{},
	} {
		fields, required := fieldsOf(reflect.TypeOf(v))
		s := root.Defs[name]
		var described []string
		for key := range s.Properties {
			described = append(described, key)
		}
		slices.Sort(described)
		slices.Sort(s.Required)
		if diff := cmp.Diff(fields, described); diff != "" {
			t.Errorf("%s: fields (-code +schema):\n%s", name, diff)
		}
		if diff := cmp.Diff(required, s.Required); diff != "" {
			t.Errorf("%s: required (-code +schema):\n%s", name, diff)
		}
		for _, f := range fields {
			if !strings.Contains(string(readme), "`"+f+"`") {
				t.Errorf("README.md does not tell of %s, a field of %s", f, name)
			}
		}
	}
}

// fieldsOf lists the JSON fields of a struct, and those that are always there, sorted.
func fieldsOf(typ reflect.Type) (all, required []string) {
	for _, f := range reflect.VisibleFields(typ) {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || tag == "" || tag == "-" {
			continue
		}
		all = append(all, tag)
		if options != "omitempty" && options != "omitzero" {
			required = append(required, tag)
		}
	}
	slices.Sort(all)
	slices.Sort(required)
	return all, required
}

// TestRecordsFitTheSchema checks every line of a written run.
func TestRecordsFitTheSchema(t *testing.T) {
	root := readSchema(t)
	m := maker{rand.New(rand.NewPCG(7, 7))}
	dir := create(t)
	w := open(t, dir, journal.Options{})
	tr := m.trajectory("t1")
	at := m.id("w", "t1", 0)
	c := sample.Conversation{ID: at, Target: "a", Phase: sample.Measure, State: sample.Failed, Result: []byte("{}"), Labels: tr.Labels}
	step := &trajectory.Step{State: m.bytes(), Turns: tr.Turns, End: &trajectory.End{Outcome: "solved", Result: m.raw()}}
	s := m.sample(at)
	s.Status = 200
	w.Planned(tr, 0)
	w.Started(&c)
	w.Sent(at, 1, 2)
	w.Sampled(s)
	w.Sampled(answered(1, "a"))
	w.Stepped(at, step, 1, 2)
	w.Ended(&c)
	w.Phase(sample.Drain, 3)
	w.Fact(m.fact(), 4)
	w.Rechecked(&sample.Recheck{ID: at, At: 5, Outcome: sample.Status, Status: 500, Cause: "no"})
	w.Checked(sample.SelfCheck{Phase: sample.Warmup})
	w.Told("metrics", 5, m.bytes())
	w.Metered(journal.Telemetry{At: 6, Source: "/metrics", Reading: &engine.Reading{
		Engine: engine.VLLM, Values: map[engine.Quantity]int64{engine.Drafts: 1}, Accepted: []int64{1, 0}, Malformed: 1}})
	w.Metered(journal.Telemetry{At: 7, Target: "a", Source: "/metrics", Missing: journal.Unread, Error: "no answer"})
	if err := w.Close(journal.Ending{Reason: journal.ReasonDuration}); err != nil {
		t.Fatal(err)
	}
	kinds := map[any]bool{}
	for r, err := range journal.Records(dir) {
		var v map[string]any
		if err == nil {
			err = json.Unmarshal(r.Line, &v)
		}
		if err == nil {
			err = root.check(root, "", v)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, r.Line)
		}
		kinds[v["rec"]] = true
	}
	if len(kinds) != len(root.OneOf) {
		t.Errorf("the run has records %v, the schema %d kinds", kinds, len(root.OneOf))
	}
	for r, err := range journal.Lines(filepath.Join(dir, journal.ContentFile)) {
		var v map[string]any
		if err == nil {
			err = json.Unmarshal(r.Line, &v)
		}
		if err == nil {
			err = root.check(root.Defs["content"], "", v)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, r.Line)
		}
	}
	for name, encode := range map[string]func() (journal.Document, error){
		"trajectory": func() (journal.Document, error) { return journal.EncodeTrajectory(tr) },
		"step":       func() (journal.Document, error) { return journal.EncodeStep(step) },
	} {
		doc, err := encode()
		var v map[string]any
		if err == nil {
			err = json.Unmarshal(doc.Body, &v)
		}
		if err == nil {
			err = root.check(root.Defs[name], name, v)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
