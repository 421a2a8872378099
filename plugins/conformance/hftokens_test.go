//go:build linux

package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/verdict"
)

const hfGolden = "../../workloads/hftokens/tests/golden"

// referenceCounts is what the reference counted of one turn of a recorded run.
type referenceCounts struct {
	Conversation string `json:"conversation_id"`
	Turn         uint32 `json:"turn"` // row of the data set, from 1
	ISL          uint64 `json:"isl"`
	OSL          uint64 `json:"osl"`
	After        uint64 `json:"tokens_after_first_chunk"`
}

// TestHFTokensRun plays the reference's recorded runs again, with its data set, its server's pieces and its tokenizer: the
// counter must tell of each turn what the reference told.
func TestHFTokensRun(t *testing.T) {
	interpreter := python(t)
	if text, err := exec.Command(interpreter, "-c", "import tokenizers, jinja2").CombinedOutput(); err != nil {
		t.Skipf("needs tokenizers and jinja2 for %s; .ci/counter has them:\n%s", interpreter, text)
	}
	counter := buildPython(t, "../../workloads/hftokens", "hftokens.pyz")
	r := buildRunner(t)
	for name, deltas := range map[string][]string{
		"reasoning_then_content": {`{"role":"assistant","content":""}`, `{"reasoning_content":"R1"}`, `{"reasoning_content":"R2"}`, `{"content":"A"}`, `{"content":"B"}`},
		"tool_call_only": {
			`{"role":"assistant","tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"bash","arguments":""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"{\"command\": \"ls\"}"}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			workloads, err := filepath.Abs("../../workloads")
			if err != nil {
				t.Fatal(err)
			}
			s := r.playLocked(t, fmt.Sprintf(`workload: {name: std/mlperf/agentic, inputs: {dataset: %[1]s/mlperf/agentic/testdata/tiny.jsonl}}
plugins: {hf/tokens: %[2]s}
counters: {hf/tokens/count: {}}
judging: {inputs: {hf/tokens/count: {tokenizer: %[1]s/hftokens/tests/golden/char_chat/tokenizer.json, config: %[1]s/hftokens/tests/golden/char_chat/tokenizer_config.json}}}
token_source: counter
target: {url: "%[3]s", model: m}
load: {users: 2, trajectories: 5, delays: false}
params: {chat_template_kwargs: {preserve_thinking: true}}
salt: mlperf
`, workloads, counter, serveDeltas(t, deltas)), map[string]string{})
			if s.code != 0 {
				t.Fatalf("exit code %d\n%s", s.code, s.stderr)
			}
			equalCounts(t, s, readReference(t, filepath.Join(hfGolden, name, "per_sample.json")))
			saysCounter(t, s, filepath.Join(hfGolden, "char_chat/tokenizer.json"))
		})
	}
}

// serveDeltas serves streams of those deltas, until the test ends.
func serveDeltas(t *testing.T, deltas []string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, d := range deltas {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", d)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func readReference(t *testing.T, file string) map[string]referenceCounts {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Samples map[string]referenceCounts `json:"samples"`
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	turns := map[string]referenceCounts{}
	for _, s := range golden.Samples {
		turns[fmt.Sprint(s.Conversation, " ", s.Turn)] = s
	}
	return turns
}

// equalCounts holds the counts of a run to the reference's, which speaks of client turns by their rows and names repeats.
func equalCounts(t *testing.T, s *seen, want map[string]referenceCounts) {
	t.Helper()
	judgements, err := journal.ReadJudgements(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(judgements, func(j verdict.Judgement) bool { return j.Kind == "counter" })
	if at < 0 || len(judgements[at].Counts) != len(s.journal.Samples) {
		t.Fatalf("no counts in %d judgements", len(judgements))
	}
	if len(want) != len(s.journal.Samples) {
		t.Errorf("%d turns, and the reference has %d", len(s.journal.Samples), len(want))
	}
	for i := range s.journal.Samples {
		x, n := &s.journal.Samples[i], &judgements[at].Counts[i]
		name := x.Trajectory
		if x.Repeat > 0 {
			name = fmt.Sprintf("%s__repeat_%d", name, x.Repeat+1)
		}
		g, ok := want[fmt.Sprint(name, " ", 2*x.Turn+1)]
		if !ok || n.Input == nil || n.Output == nil || n.AfterFirstChunk == nil || n.Reason != "" ||
			*n.Input != g.ISL || *n.Output != g.OSL || *n.AfterFirstChunk != g.After {
			t.Errorf("%s turn %d: %s; the reference has %+v", name, x.Turn, tellCount(n), g)
		}
	}
}

// saysCounter looks for the counter, and for the digest of its file, in the report.
func saysCounter(t *testing.T, s *seen, file string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "report.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Metrics struct {
			Tokens struct {
				Source  string `json:"source"`
				Counter int    `json:"counter"`
			} `json:"tokens"`
		} `json:"metrics"`
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		t.Fatal(err)
	}
	if got := report.Metrics.Tokens; got.Source != "counter" || got.Counter != len(s.journal.Samples) {
		t.Errorf("token counts: %+v", got)
	}
	if sum := digest.Of(code).String(); !strings.Contains(string(raw), sum) {
		t.Errorf("the report lacks the digest %s of the tokenizer", sum)
	}
	if !strings.Contains(string(text), "hf/tokens/count 0.1.0") {
		t.Errorf("the text names no counter:\n%s", text)
	}
}
