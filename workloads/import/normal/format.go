package normal

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
)

// Format is the importer of the normal form.
func Format() frame.Format {
	return frame.Format{
		Name: "trajectory", Summary: "the normal form, " + Schema + ": one trajectory a line",
		Paths: []string{""}, Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	schema, _ := r.Value.Get("schema").Text()
	return schema == Schema
}

func (d reader) Scan(r *frame.Record, s *frame.Scan) error {
	if !d.Detect(r) {
		return r.Fault("/schema", "schema", Schema, "the record does not say that it is of the schema %s", Schema)
	}
	id, _ := r.Value.Get("id").Text()
	if id == "" {
		return r.Fault("/id", "id", "a text that is not empty", "the trajectory has no id")
	}
	s.Whole(id, frame.NoTime)
	return nil
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	p := parser{record: &t.Records[0]}
	out := p.trajectory(t.Records[0].Value)
	return out, p.err
}
