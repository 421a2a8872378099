//go:build linux

package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/native"
	"paceline/plugins/wire"
)

// pythonVariable names the interpreter with grpcio and protobuf that runs the plugins of these tests.
const pythonVariable = "PACELINE_PYTHON"

// python finds that interpreter. One that is named must do; without a name, the system's may do.
func python(t *testing.T) string {
	t.Helper()
	name := os.Getenv(pythonVariable)
	named := name != ""
	if !named {
		name = "python3"
	}
	path, err := exec.LookPath(name)
	if err == nil {
		err = exec.Command(path, "-c", "import grpc, google.protobuf").Run()
	}
	switch {
	case err != nil && named:
		t.Fatalf("%s=%s is no Python with grpcio and protobuf: %v", pythonVariable, name, err)
	case err != nil:
		t.Skipf("needs a Python with grpcio and protobuf (%s: %v); .ci/sdk-python makes one, %s names it", name, err, pythonVariable)
	}
	return path
}

// buildPython makes a plugin of a folder below sdk/python, with its manifest beside it.
func buildPython(t *testing.T, folder, file string) string {
	t.Helper()
	interpreter := python(t)
	out := filepath.Join(t.TempDir(), file)
	cmd := exec.Command(interpreter, "-m", "paceline.build", filepath.Join("../../sdk/python", folder), "-o", out, "--python", interpreter, "--license", "Apache-2.0")
	cmd.Env = append(os.Environ(), "PYTHONPATH=../../sdk/python/src", "PYTHONDONTWRITEBYTECODE=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", folder, err, text)
	}
	return out
}

// buildGoEcho makes the native plugin of the same name in Go.
func buildGoEcho(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "echo")
	if text, err := exec.Command("go", "build", "-o", out, "paceline/sdk/native/examples/echo").CombinedOutput(); err != nil {
		t.Fatalf("build the plugin: %v\n%s", err, text)
	}
	manifest, err := exec.Command(out, "manifest", "Apache-2.0").Output()
	if err == nil {
		err = os.WriteFile(out+".manifest.json", manifest, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// loadNative starts a host with a native plugin, which ends with the test.
func loadNative(t *testing.T, r *runner, file string) *wire.Plugin {
	t.Helper()
	text, err1 := os.ReadFile(file + ".manifest.json")
	code, err2 := os.ReadFile(file)
	manifest, err3 := lock.ParseManifest(text)
	h, err4 := host.New(host.Options{Worker: []string{r.path, "plugin-worker"}, Guard: []string{r.path, native.Command}, NoCache: true})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil || h.Workers() != 0 {
			t.Errorf("%v, %d processes are left", err, h.Workers())
		}
	})
	p, err := h.LoadNative(host.NativeModule{Name: "test/echo", Path: file, Code: code, Manifest: manifest})
	if err != nil {
		t.Fatal(err)
	}
	w, err := wire.Load(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func openOptions(name, config string) wire.Options {
	return wire.Options{FullName: "test/echo/" + name, Component: name, RootSeed: 7, Config: json.RawMessage(config), Granted: []lock.Capability{lock.CapabilityInputs}}
}

// inputOf makes an input of a text.
func inputOf(t *testing.T, name, text string) wire.Input {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return wire.Input{Name: name, File: f, Size: int64(len(text)), SHA256: digest.Of([]byte(text)), Path: path}
}

// oddLines is a text with what lines and JSON may have.
const oddLines = "\xEF\xBB\xBFone\n\n  \t\r\n\"two\" \\ <&> \u2028 \u00e9 \x7f\r\n\x01\b\f\t cut \xff \xe2\x82 \xed\xa0\x80 \ufffd\nlast"

// oddItems are turns with answers and truths of many kinds.
func oddItems() []judge.Item {
	answers := []string{
		`{"role":"assistant","content":"one"}`, `{"content":"two"}`, `{"content":null}`, `{"content":7}`, `{"role":7,"content":"one"}`,
		`null`, `[]`, `"one"`, `{"content":"one"`, "{\"content\":\"cut \xff\"}", `{"content":"\ud800"}`, strings.Repeat("[", 200_000), "", `{"content":"\u0000"}`,
		`{"content":"` + strings.Repeat("long ", 100_000) + `"}`,
	}
	truths := []string{`"one"`, `null`, `"cut \ufffd"`, `7`, ``, `"\ufffd"`}
	var items []judge.Item
	for i, message := range append(answers, answers...) {
		s := &sample.Sample{ID: sample.ID{Trajectory: fmt.Sprint("t", i), Index: uint64(i)}, Exchange: sample.Exchange{Outcome: sample.OK, Timing: sample.NoTiming()}}
		if i%7 == 3 {
			s.Outcome = sample.Timeout
		}
		it := judge.Item{Sample: s, Truth: []byte(truths[i%len(truths)]), Answer: &chat.Answer{Message: []byte(message)}}
		if i%11 == 5 {
			it.Answer = nil
		}
		items = append(items, it)
	}
	return items
}

// echoed is all that the three components of echo say.
type echoed struct {
	Info, Plans, Again any
	Checked            judge.Checked
	Verdict            any
	Scored             judge.Scored
	Score              any
	Refused            []string
}

func playEcho(t *testing.T, p *wire.Plugin) (e echoed) {
	t.Helper()
	opts := openOptions("repeat", "")
	opts.Inputs = []wire.Input{inputOf(t, "text", oddLines)}
	w, err := p.OpenWorkload(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	e.Info = w.Info()
	var plans, again []any
	for i := range w.Info().Trajectories {
		plan, err1 := w.Plan(t.Context(), i, 0)
		fresh, err2 := w.PlanFresh(t.Context(), i, 1)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		plans, again = append(plans, plan), append(again, fresh)
	}
	e.Plans, e.Again = plans, again
	_, err = w.PlanFresh(t.Context(), w.Info().Trajectories, 0)
	e.Refused = append(e.Refused, fmt.Sprint(err))
	for _, text := range []string{"", "\n \n"} {
		opts.Inputs = []wire.Input{inputOf(t, "text", text)}
		_, err := p.OpenWorkload(t.Context(), opts)
		e.Refused = append(e.Refused, fmt.Sprint(err))
	}
	judgeEcho(t, p, &e)
	return e
}

func judgeEcho(t *testing.T, p *wire.Plugin, e *echoed) {
	t.Helper()
	v, err := p.OpenValidator(t.Context(), openOptions("answered", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s, err := p.OpenScorer(t.Context(), openOptions("exact", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var err1, err2, err3, err4, err5, err6 error
	e.Checked, err1 = v.Check(t.Context(), oddItems())
	e.Scored, err2 = s.Score(t.Context(), oddItems())
	checked, err3 := v.Fold(t.Context(), e.Checked.Account, e.Checked.Account)
	scored, err4 := s.Fold(t.Context(), nil, e.Scored.Account)
	e.Verdict, err5 = v.Conclude(t.Context(), judge.Conclusion{Account: checked})
	e.Score, err6 = s.Conclude(t.Context(), judge.Conclusion{Account: scored})
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	_, err = s.Fold(t.Context(), []byte("short"), nil)
	e.Refused = append(e.Refused, fmt.Sprint(err))
}

// TestPythonEcho: the example in Python and that in Go answer every call alike.
func TestPythonEcho(t *testing.T) {
	interpreted := buildPython(t, "examples/echo", "echo.pyz")
	r := buildRunner(t)
	want := playEcho(t, loadNative(t, r, buildGoEcho(t)))
	got := playEcho(t, loadNative(t, r, interpreted))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Go's (-) and Python's (+) differ:\n%s", diff)
	}
	if len(got.Scored.Items) != len(oddItems()) || len(got.Refused) != 4 {
		t.Errorf("got %d items, refused %q", len(got.Scored.Items), got.Refused)
	}
}
