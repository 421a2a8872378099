package journal_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"paceline/core/journal"
	"paceline/core/sample"
)

// FuzzRead reads any bytes as a segment: an error or a run, always an end.
func FuzzRead(f *testing.F) {
	dir := create(f)
	w := open(f, dir, journal.Options{})
	w.Planned(planned(), 0)
	w.Started(conversation())
	w.Sampled(answered(0, "yes"))
	w.Phase(sample.Measure, 4)
	if err := w.Close(journal.Ending{Reason: journal.ReasonComplete}); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, journal.SegmentFile(1)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)-3])
	f.Add([]byte{})
	f.Add([]byte("\x28\xb5\x2f\xfd\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		mustWrite(t, filepath.Join(dir, journal.SegmentFile(1)), data)
		mustWrite(t, filepath.Join(dir, journal.ContentFile), data)
		run, err := journal.Read(dir)
		if (run == nil) == (err == nil) {
			t.Fatalf("run %v, error %v", run, err)
		}
		_ = journal.Cat(io.Discard, dir) // any error will do
		_ = journal.Verify(dir)
	})
}

// FuzzRecords reads any text as the records behind a head, past the frames' checksums.
func FuzzRecords(f *testing.F) {
	const head = `{"rec":"head","schema":"journal/v1","run":"r","segment":1,"epoch":"2026-11-29T12:00:00Z","attempt":0,"build":"","run_config":"` +
		"0000000000000000000000000000000000000000000000000000000000000000" + `"}` + "\n"
	for _, s := range []string{
		`{"rec":"sample","workload":"w","trajectory":"t","turn":1,"outcome":"ok","timing":{"sent":5},"chunks":"//8="}`,
		`{"rec":"start","workload":"w","trajectory":"t","planned":3,"start":1,"end":-1}`,
		`{"rec":"plan","workload":"w","trajectory":"t","content":"` + "00" + `","turns":[0,1,4294967295]}`,
		`{"rec":"live","turns":[1,1],"branches":[2]}`, `{"rec":"new"}`, `{"x":{}}`, `[]`, `{"rec":"foot"`,
	} {
		f.Add(s + "\n")
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		mustWrite(t, filepath.Join(dir, journal.SegmentFile(1)), enc.EncodeAll([]byte(head+text), nil))
		run, err := journal.Read(dir)
		if err != nil {
			t.Fatalf("a segment with a head: %v", err)
		}
		for i, a := range run.Samples {
			for _, b := range run.Samples[:min(i, 20)] {
				if a.ID == b.ID {
					t.Fatalf("two samples of %+v", a.ID)
				}
			}
		}
	})
}
