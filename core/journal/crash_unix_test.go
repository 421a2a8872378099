//go:build unix

package journal_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"paceline/core/journal"
	"paceline/core/sample"
)

const (
	crashMode = "PACELINE_TEST_JOURNAL_MODE"
	crashDir  = "PACELINE_TEST_JOURNAL_DIR"
	flushed   = 500
)

// TestMain plays the writing process of the tests below where it is asked to.
func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(crashMode) {
	case "":
		os.Exit(m.Run())
	case "endless":
		err = writeEndless(os.Getenv(crashDir))
	case "full":
		err = writeFull(os.Getenv(crashDir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeEndless records turns until it is killed, or for a minute; it says when the first ones are in the file.
func writeEndless(dir string) error {
	w, err := journal.NewWriter(dir, journal.Options{Head: journal.Head{Epoch: epoch}, Workload: "std/mlperf/agentic"})
	if err != nil {
		return err
	}
	w.Started(conversation())
	for i := range uint32(60_000) {
		w.Sent(id(i), sample.Offset(i), 1)
		w.Sampled(answered(i, "text"))
		if i == flushed {
			if err := w.Flush(); err != nil {
				return err
			}
			fmt.Println("flushed")
		}
		if i > flushed {
			time.Sleep(time.Millisecond)
		}
	}
	return w.Close(journal.Ending{})
}

// writeFull records more than its limit of a file's size takes, which fails as a full disk does.
func writeFull(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	w, err := journal.NewWriter(dir, journal.Options{Head: journal.Head{Epoch: epoch}})
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: 32 << 10, Max: 32 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range uint32(500) {
		var text strings.Builder
		for range 20 {
			text.WriteString(strconv.FormatUint(random.Uint64(), 36))
		}
		w.Sampled(answered(i, text.String()))
		if i%20 == 0 {
			_ = w.Flush() // its error is asked for below
		}
	}
	failed := w.Err()
	closed := w.Close(journal.Ending{Reason: journal.ReasonFailed})
	fmt.Printf("%d\n%v\n%v\n", w.Lost(), failed, closed)
	return nil
}

func helper(t *testing.T, mode, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), crashMode+"="+mode, crashDir+"="+dir)
	return cmd
}

// TestKilled kills a writing process: what it had flushed is all there, what follows has no gap, and the end is torn at
// most.
func TestKilled(t *testing.T) {
	dir := create(t)
	cmd := helper(t, "endless", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if killed := cmd.Process.Kill(); killed != nil {
		t.Error(killed)
	}
	_ = cmd.Wait() // killed
	if err != nil || line != "flushed\n" {
		t.Fatalf("helper said %q, %v", line, err)
	}
	run := read(t, dir)
	if !run.Incomplete || run.Foot != nil || len(run.Samples) < flushed {
		t.Errorf("incomplete %v, foot %v, %d samples", run.Incomplete, run.Foot, len(run.Samples))
	}
	for i, s := range run.Samples {
		if s.Turn != uint32(i) || i <= flushed && s.Outcome != sample.OK {
			t.Fatalf("sample %d is turn %d, %s", i, s.Turn, s.Outcome)
		}
	}
	if c := run.Conversations[0]; c.State != sample.Interrupted {
		t.Errorf("conversation %+v", c)
	}
}

func TestDiskFull(t *testing.T) {
	dir := create(t)
	var stderr bytes.Buffer
	cmd := helper(t, "full", dir)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	said := strings.Split(string(out), "\n")
	lost, _ := strconv.Atoi(said[0])
	for _, err := range said[1:3] {
		if !strings.Contains(err, journal.SegmentFile(1)) || !strings.Contains(err, "file too large") {
			t.Errorf("error %q, want the file and the reason", err)
		}
	}
	run := read(t, dir)
	foots := 0
	if run.Foot != nil {
		foots = 1
		if run.Foot.Lost != int64(lost) {
			t.Errorf("foot %+v, lost %d", run.Foot, lost)
		}
	}
	if lost == 0 || len(run.Samples)+lost != 500+1-foots || len(run.Damage) != 0 {
		t.Errorf("%d samples, %d lost of 500, foot %v, damage %v", len(run.Samples), lost, run.Foot, run.Damage)
	}
}
