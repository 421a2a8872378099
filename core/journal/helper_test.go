package journal_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

var epoch = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// equal compares without telling nil and empty slices apart and without the content store.
var equal = []cmp.Option{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(journal.Run{}, "Content")}

func create(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := journal.Create(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string, o journal.Options) *journal.Writer {
	t.Helper()
	if o.Head.Epoch.IsZero() {
		o.Head.Epoch = epoch
	}
	if o.Workload == "" {
		o.Workload = "std/mlperf/agentic"
	}
	w, err := journal.NewWriter(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func read(t testing.TB, dir string) *journal.Run {
	t.Helper()
	run, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// ids returns the identity of a turn of trajectory "t".
func id(turn uint32) sample.ID {
	return sample.ID{Workload: "std/mlperf/agentic", Trajectory: "t", User: 3, Turn: turn}
}

func answered(turn uint32, text string) *sample.Sample {
	s := &sample.Sample{ID: id(turn), Phase: sample.Measure}
	s.Outcome, s.Timing, s.Status = sample.OK, sample.NoTiming(), 200
	s.Timing.Due, s.Timing.Sent, s.Timing.Done = sample.Offset(turn)*10, sample.Offset(turn)*10+1, sample.Offset(turn)*10+9
	message, _ := json.Marshal(map[string]string{"role": "assistant", "content": text})
	s.Answer = &chat.Answer{Message: message, FinishReason: "stop"}
	return s
}

func conversation() *sample.Conversation {
	return &sample.Conversation{
		ID: id(0), Planned: 3, Phase: sample.Measure, Arrival: sample.Unset, Start: 0, End: sample.Unset,
	}
}

func planned() *trajectory.Trajectory {
	t := &trajectory.Trajectory{ID: "t", Domain: "coding", Tools: json.RawMessage(`[ ]`)}
	for i := range uint32(3) {
		t.Turns = append(t.Turns, trajectory.Turn{
			Index: i, Append: []trajectory.Message{{JSON: json.RawMessage(`{"role":"user","content":"go on"}`)}},
			Recorded: &trajectory.Message{JSON: json.RawMessage(`{"role":"assistant","content":"done"}`)},
		})
	}
	return t
}

// any values for the round trip: every field set from a seed, text with everything that JSON escapes.
type maker struct{ *rand.Rand }

func (m maker) text() string {
	const alphabet = "aZ09 <>&\"\\/\u2028\u0085é漢😀\n\t\x00"
	r := []rune(alphabet)
	var b strings.Builder
	for range 1 + m.IntN(12) {
		b.WriteRune(r[m.IntN(len(r))])
	}
	return b.String()
}

func (m maker) raw() json.RawMessage {
	b, _ := json.Marshal(map[string]any{"k": m.text(), "n": []int{m.Int(), 2}})
	return b
}

func (m maker) bytes() []byte {
	b := make([]byte, 1+m.IntN(40))
	for i := range b {
		b[i] = byte(m.Uint32())
	}
	return b
}

func (m maker) offset() sample.Offset { return sample.Offset(m.Int64N(1 << 40)) }

func (m maker) maybe() sample.Offset {
	if m.IntN(2) == 0 {
		return sample.Unset
	}
	return m.offset()
}

func (m maker) id(workload, trajectory string, turn uint32) sample.ID {
	return sample.ID{
		Workload: workload, Trajectory: trajectory, Index: uint64(m.Uint32()), Repeat: m.Uint32(), User: m.Uint32(), Turn: turn,
	}
}

func (m maker) sample(at sample.ID) *sample.Sample {
	n := m.Uint64()
	s := &sample.Sample{
		ID: at, Phase: sample.Measure, RequestBytes: m.Int64N(1 << 30), DelayCut: time.Duration(m.Int64N(1 << 30)), Rewrites: m.IntN(4),
	}
	fork := m.Uint32()
	s.Waits, s.ForkOf = []uint32{m.Uint32(), m.Uint32()}, &fork
	s.Outcome, s.Cause, s.Status, s.Malformed, s.ConnectionRetries = sample.Reset, m.text(), 200, m.IntN(3), m.IntN(2)
	s.Timing = sample.Timing{
		Due: m.maybe(), Sent: m.maybe(), BodySent: m.maybe(), FirstByte: m.maybe(), FirstToken: m.maybe(),
		FirstAnswer: m.maybe(), LastToken: m.maybe(), Done: m.maybe(), NextStart: m.maybe(), NextDone: m.maybe(),
		ConnectStart: m.maybe(), ConnectDone: m.maybe(), Reused: m.IntN(2) == 0,
	}
	s.Answer = &chat.Answer{
		Message: m.raw(), FinishReason: m.text(), Extra: m.raw(), Headers: []chat.Header{{Name: m.text(), Value: m.text()}},
		Usage: chat.Usage{Reported: true, PromptTokens: n, CompletionTokens: 7, CachedTokens: &n},
	}
	for range m.IntN(9) {
		s.Chunks = s.Chunks.Add(sample.Chunk{
			GapMicros: m.Uint64(), Channel: chat.Channel(1 + m.IntN(4)), Bytes: m.Uint64(), Tokens: m.Uint64(), Told: true,
		})
	}
	s.Notes = []string{m.text(), m.text()}
	s.Received = &sample.Received{Bytes: m.Int64(), SHA256: digest.Of(m.bytes()), Head: m.bytes(), Cut: true}
	return s
}

func (m maker) trajectory(name string) *trajectory.Trajectory {
	offset, fork := time.Duration(m.Int64N(1<<40)), m.Uint32()
	t := &trajectory.Trajectory{
		ID: name, Index: m.Uint64(), Domain: m.text(), Labels: []trajectory.Label{{Key: m.text(), Value: m.text()}},
		Params: m.raw(), Tools: m.bytes(), State: m.bytes(), StartOffset: &offset, Truth: m.raw(),
	}
	for i := range uint32(3) {
		t.Turns = append(t.Turns, trajectory.Turn{
			Index: i, Append: []trajectory.Message{{JSON: m.raw()}, {JSON: m.bytes()}, m.composed()},
			Delay: time.Duration(m.Int64N(1 << 40)), Recorded: &trajectory.Message{JSON: m.raw()}, Params: m.raw(),
			MaxTokens: m.Uint32(), ExactTokens: m.Uint32(), Final: i == 2, After: &[]uint32{}, Branch: i, ForkOf: &fork,
			Labels: []trajectory.Label{{Key: m.text(), Value: m.text()}}, Truth: m.raw(),
		})
	}
	return t
}

func (m maker) composed() trajectory.Message {
	turn := m.Uint32()
	return trajectory.Message{Composed: &trajectory.Composed{Role: m.text(), ToolCallID: m.text(), Pieces: []trajectory.Piece{
		{Text: m.bytes()}, {Text: []byte{}}, {AnswerOfTurn: &turn},
		{Filler: &trajectory.Filler{Tokens: m.Uint32(), Key: m.bytes(), Scope: trajectory.ScopeRun}},
	}}}
}

func (m maker) fact() verdict.Fact {
	return verdict.Fact{
		Probe: m.text(), Status: 200, Headers: []verdict.Header{{Name: m.text(), Value: m.text()}}, Body: m.bytes(), Error: m.text(),
	}
}

func mustWrite(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
