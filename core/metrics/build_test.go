package metrics

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/sample"
)

// event is one chunk with text, for building samples.
type event struct {
	ms     float64
	ch     chat.Channel
	tokens int // 0: not told
}

// run builds an Input; all times are milliseconds.
type run struct{ Input }

func newRun(c Config) *run {
	return &run{Input{Measure: sample.Unset, Drain: sample.Unset, Config: c}}
}

func at(ms float64) sample.Offset { return sample.Offset(ms * 1e6) }

// conv adds a conversation of a user.
func (r *run) conv(user uint32, start, end float64, state sample.State) sample.ID {
	id := sample.ID{Workload: "w", Trajectory: "t", Index: uint64(len(r.Conversations)), User: user}
	c := sample.Conversation{
		ID: id, Phase: sample.Measure, Arrival: sample.Unset, Start: at(start), End: at(end), State: state,
	}
	if end < 0 {
		c.End = sample.Unset
	}
	r.Conversations = append(r.Conversations, c)
	return id
}

// turn adds a turn with its usage (a negative count: none told) and returns it.
func (r *run) turn(id sample.ID, outcome sample.Outcome, sent, done float64, output int, events ...event) *sample.Sample {
	for i := range r.Conversations {
		if c := &r.Conversations[i]; c.ID == id {
			id.Turn = uint32(c.Planned)
			c.Planned++
		}
	}
	s := sample.Sample{ID: id, Phase: sample.Measure}
	s.Outcome, s.Timing = outcome, sample.NoTiming()
	s.Timing.Due, s.Timing.Sent, s.Timing.Done = at(sent), at(sent), at(done)
	last := sent
	for _, e := range events {
		if !s.Timing.FirstToken.Set() {
			s.Timing.FirstToken = at(e.ms)
		}
		if e.ch == chat.Content && !s.Timing.FirstAnswer.Set() {
			s.Timing.FirstAnswer = at(e.ms)
		}
		s.Timing.LastToken = at(e.ms)
		s.Chunks = s.Chunks.Add(sample.Chunk{
			GapMicros: uint64((e.ms - last) * 1000), Channel: e.ch, Bytes: 3, Tokens: uint64(e.tokens), Told: e.tokens > 0,
		})
		last = e.ms
	}
	s.Answer = &chat.Answer{FinishReason: "stop", Message: json.RawMessage(`{"role":"assistant","content":""}`)}
	if output >= 0 {
		s.Answer.Usage = chat.Usage{Reported: true, PromptTokens: 100, CompletionTokens: uint64(output)}
	}
	r.Samples = append(r.Samples, s)
	return &r.Samples[len(r.Samples)-1]
}

// single builds a run of one turn, sent at 0.
func single(output int, done float64, events ...event) *run {
	r := newRun(Config{Window: All})
	r.turn(r.conv(0, 0, done, sample.Complete), sample.OK, 0, done, output, events...)
	return r
}

// content are content events without told tokens.
func content(ms ...float64) []event {
	var out []event
	for _, m := range ms {
		out = append(out, event{m, chat.Content, 0})
	}
	return out
}

// request is a line of the request files of cases.
type request struct {
	ID      string
	Slot    uint32
	SentMS  float64   `json:"sent_ms"`
	TokenMS []float64 `json:"token_ms"`
	DoneMS  float64   `json:"done_ms"`
}

func requests(t *testing.T, name string) []request {
	t.Helper()
	var all []request
	dec := json.NewDecoder(openCase(t, name, "requests.jsonl"))
	for dec.More() {
		var r request
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func openCase(t *testing.T, name, file string) *bytes.Reader {
	t.Helper()
	return bytes.NewReader(coretest.LoadCase(t, name).File(t, file))
}

func expected(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.NewDecoder(openCase(t, name, "expected.json")).Decode(into); err != nil {
		t.Fatal(err)
	}
}

func wantNum(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

// marshal writes metrics as strict JSON.
func marshal(t *testing.T, m *Metrics) []byte {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ids(all []request, r *run, instant func(*sample.Timing) sample.Offset, w Window) []string {
	var out []string
	for i := range r.Samples {
		if w.Contains(instant(&r.Samples[i].Timing)) {
			out = append(out, all[i].ID)
		}
	}
	return slices.Clip(out)
}
