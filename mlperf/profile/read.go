package profile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"paceline/mlperf/standin"
	"paceline/workloads/mlperf/dataset"
	"paceline/workloads/mlperf/domain"
)

// Counts are what a data set holds.
type Counts struct {
	SHA256         string
	Bytes          int64
	Coding         int
	Workflow       int
	ClientTurns    int
	AssistantTurns int
	OpenEnds       int           // conversations that end on a client turn
	NoSystem       int           // conversations without a system prompt
	Delays         []int64       // ns, of the client turns that have one, sorted
	StandIn        *standin.Meta // nil: it does not say that it is one
}

// Read counts a data set that passed the workload's check.
func Read(src io.Reader) (*Counts, error) {
	r := reader{hash: sha256.New()}
	in := bufio.NewReaderSize(io.TeeReader(src, r.hash), 1<<20)
	for last := false; !last; {
		line, err := readLine(in)
		if last = errors.Is(err, io.EOF); err != nil && !last {
			return nil, fmt.Errorf("read the data set: %w", err)
		}
		r.Bytes += int64(len(line))
		if row := bytes.TrimPrefix(bytes.TrimSpace(line), []byte("\ufeff")); len(row) > 0 {
			r.row(row)
		}
	}
	r.end()
	r.SHA256 = hex.EncodeToString(r.hash.Sum(nil))
	slices.Sort(r.Delays)
	return &r.Counts, nil
}

// readLine reads up to and with a line feed; io.EOF comes with the last line.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > dataset.MaxRow {
			return nil, fmt.Errorf("a row is longer than %d bytes", dataset.MaxRow)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// reader carries what is known of the conversation that is being read.
type reader struct {
	Counts
	hash interface {
		io.Writer
		Sum(b []byte) []byte
	}
	id     string
	system bool
	client bool // its last row is of the client
}

func (r *reader) row(text []byte) {
	row, fault := dataset.ParseRow(text)
	if fault != nil {
		return
	}
	if row.Metadata {
		if m := standin.ReadMeta(text); m != nil {
			r.StandIn = m
		}
		return
	}
	id, ok := row.ID()
	if !ok {
		return
	}
	if id != r.id {
		r.end()
		r.begin(id)
	}
	if text, ok := row.System.Text(); ok && text != "" {
		r.system = true
	}
	if r.client = row.IsClient(); !r.client {
		r.AssistantTurns++
		return
	}
	r.ClientTurns++
	if ns, ok := row.DelayNS(); ok && ns > 0 {
		r.Delays = append(r.Delays, ns)
	}
}

func (r *reader) begin(id string) {
	r.id, r.system = id, false
	if domain.Of(id) == domain.Workflow {
		r.Workflow++
	} else {
		r.Coding++
	}
}

// end closes the conversation that was read.
func (r *reader) end() {
	if r.id == "" {
		return
	}
	if !r.system {
		r.NoSystem++
	}
	if r.client {
		r.OpenEnds++
	}
}
