package frame

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"paceline/sdk"
	"paceline/workloads/options"
)

// Input is the name of the input of every importer.
const Input = "trace"

// MaxTrace is the most bytes that the records of one trace may have together.
const MaxTrace = 64 << 20

// stepBytes is about how much of the file one step of the check reads: well below a second in a guest.
const stepBytes = 4 << 20

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,` +
	`"properties":{"broken":{"enum":["refuse","skip"],"default":"refuse",` +
	`"description":"what becomes of a record that is broken: the file is refused, or the record is left out and counted"},` +
	`"first":{"type":"integer","minimum":1,` +
	`"description":"play only the first so many trajectories of the file; all of it is checked"}}}`

// Component describes the workload that reads a format.
func Component(f Format) sdk.Component {
	return component(f.Name, f.Summary, []string{f.Name}, func(*sdk.Opening, *sdk.Input) (*Format, error) { return &f, nil })
}

// picker tells the format that a file is read by.
type picker func(*sdk.Opening, *sdk.Input) (*Format, error)

func component(name, summary string, imports []string, pick picker) sdk.Component {
	return sdk.Component{
		Name: name, Summary: summary, ConfigSchema: []byte(configSchema),
		Capabilities: []sdk.Capability{sdk.CapabilityInputs}, Inputs: []string{Input}, Imports: imports,
		Workload: func(o *sdk.Opening) (sdk.Workload, error) { return open(o, pick) },
	}
}

// workload plays one file.
type workload struct {
	format *Format
	src    *sdk.Input
	index  *Index
	count  uint64 // trajectories that are played
}

func open(o *sdk.Opening, pick picker) (*workload, error) {
	config := options.Read(o.Config, "broken", "first")
	skip := config.Choice("broken", "refuse", "skip") == "skip"
	first := config.Count("first")
	if err := config.Err(); err != nil {
		return nil, err
	}
	src, err := o.Input(Input)
	if err != nil {
		return nil, err
	}
	if err := textual(src, src.Size()); err != nil {
		return nil, err
	}
	format, err := pick(o, src)
	if err != nil {
		return nil, err
	}
	w := &workload{format: format, src: src}
	if err := w.ready(o, skip); err != nil {
		return nil, err
	}
	o.Losses = w.index.Losses
	w.count = uint64(w.index.Roots)
	if first > 0 {
		w.count = min(w.count, first)
	}
	return w, nil
}

// ready takes the index that an earlier opening left, or makes it.
func (w *workload) ready(o *sdk.Opening, skip bool) error {
	stamp := fmt.Sprintf("%s skip=%t", w.format.Name, skip)
	index, err := DecodeIndex(o.Prepared, stamp, w.src.Size())
	if err == nil {
		w.index = index // the host has what was prepared, and a copy on the way back would take its room again
		return nil
	}
	r, err := scan(w.format, w.src, w.src.Size(), skip, func(done int64) {
		o.Log.Infof("indexed %d of %d bytes", done, w.src.Size())
	})
	if err != nil {
		return err
	}
	if r.index.traces.n == 0 && len(r.faults) == 0 {
		r.add(sdk.Fault{
			Input: Input, Code: "no-traces", Message: "the file holds no trace of the format " + w.format.Name,
			Expected: w.format.Summary,
		})
	}
	if r.more > 0 {
		r.faults = append(r.faults, sdk.Fault{Input: Input, Code: "more-faults", Message: fmt.Sprintf("%d more faults follow", r.more)})
	}
	if len(r.faults) > 0 {
		return r.faults
	}
	if o.Prepare, err = r.encode(stamp, w.src.Size()); err != nil {
		return err
	}
	o.Log.Infof("index of %d bytes, %d records", len(o.Prepare), r.index.records)
	w.index, err = DecodeIndex(o.Prepare, stamp, w.src.Size())
	return err
}

// Info implements sdk.Workload.
func (w *workload) Info() sdk.WorkloadInfo {
	return sdk.WorkloadInfo{Trajectories: w.count, Fixed: true, Provenance: cmp.Or(w.format.Provenance, "recorded")}
}

// Plan implements sdk.Workload. Repeat and seed change nothing: a recorded trace is always the same.
func (w *workload) Plan(index uint64, _ uint32, _ []byte) (*sdk.Trajectory, error) {
	if index >= w.count {
		return nil, sdk.Errorf(sdk.CodeOutOfRange, "plan trajectory %d: there are %d", index, w.count)
	}
	t, _, err := w.build(index)
	return t, err
}

// build makes one trajectory, and tells how many bytes of the file it was made of.
func (w *workload) build(index uint64) (*sdk.Trajectory, int64, error) {
	trace, first, size, err := w.read(index)
	if err != nil {
		return nil, size, err
	}
	t, err := w.format.Reader.Build(trace)
	if err != nil {
		return nil, size, fmt.Errorf("build trajectory %q: %w", trace.ID, err)
	}
	if len(t.Turns) == 0 {
		return nil, size, fmt.Errorf("build trajectory %q: %w", trace.ID,
			trace.Records[0].Fault("", "no-turns", "a request to the model at least", "the trace holds no request"))
	}
	if t.Id == "" {
		t.Id = trace.ID
	}
	t.Labels = withFormat(t.Labels, w.format.Name)
	if t.StartOffsetNs == nil && !w.format.Numbers && first != NoTime && w.index.Origin != NoTime {
		offset := uint64(first - w.index.Origin)
		t.StartOffsetNs = &offset
	}
	return t, size, nil
}

// read gives the records of one trace, and of what it holds, in the format's order, and when the trace began.
func (w *workload) read(index uint64) (t *Trace, first, size int64, err error) {
	all := w.index.whole(index)
	key := string(all[0].key)
	trace := &Trace{Key: key, ID: printable(key)}
	first = all[0].first
	var spans []span
	for i := range all {
		list, err := w.index.spans(&all[i])
		if err != nil {
			return nil, first, 0, err
		}
		spans = append(spans, list...)
	}
	for _, s := range spans {
		size += s.length
	}
	if size > MaxTrace {
		at := Record{Line: spans[0].line, Offset: spans[0].offset}
		return nil, first, size, at.Fault("", "trace-too-large", "traces of at most 64 MiB",
			"the %d records of trace %q have %d bytes together, and the limit is 64 MiB", len(spans), trace.ID, size)
	}
	for _, s := range spans {
		text := make([]byte, s.length)
		if n, err := w.src.ReadAt(text, s.offset); n < len(text) {
			return nil, first, size, fmt.Errorf("read trace %q: %w", trace.ID, err)
		}
		trace.Records = append(trace.Records, Record{Value: text, Line: s.line, Offset: s.offset, Time: s.time})
	}
	if w.format.ByTime {
		byTime(trace.Records)
	}
	return trace, first, size, nil
}

// CheckInputs implements sdk.InputChecker: it builds every trajectory. The records themselves passed as the index was made.
func (w *workload) CheckInputs(cursor []byte, most uint32) (*sdk.CheckInputsResponse, error) {
	at := uint64(0)
	if len(cursor) > 0 {
		n, used := binary.Uvarint(cursor)
		if used != len(cursor) {
			return nil, sdk.Errorf(sdk.CodeInvalidArgument, "the cursor is damaged")
		}
		at = n
	}
	out := &sdk.CheckInputsResponse{}
	end := uint64(w.index.Roots)
	for read := int64(0); at < end && read < stepBytes && len(out.Faults) < int(min(most, 1<<20)); at++ {
		_, size, err := w.build(at)
		if err != nil {
			out.Faults = append(out.Faults, faultOf(err))
		}
		read += size + 4096
	}
	out.Items, out.Done = at, at >= end
	out.Cursor = binary.AppendUvarint(nil, at)
	return out, nil
}
