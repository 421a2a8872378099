package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"paceline/core/sim"
)

// Record is a run and what it gave.
type Record struct {
	Run
	sim.Replayed
}

// rate is the throughput in tokens of answers per second.
func (r *Record) rate() float64 { return float64(r.AnswerTokens) / r.Time.Seconds() }

var columns = []string{
	"profile", "kv_factor", "users", "seed", "mode", "time_us", "requests", "runs", "refused", "prompt_tokens", "cached_tokens",
	"computed_tokens", "answer_tokens", "preemptions", "steps", "idle_us", "context", "pairs", "decoded", "kv_mean", "kv_max", "running", "waiting",
}

func (r *Record) row() []string {
	whole := func(list ...int64) (out []string) {
		for _, n := range list {
			out = append(out, strconv.FormatInt(n, 10))
		}
		return out
	}
	row := []string{r.Profile, fmt.Sprint(r.Factor), strconv.Itoa(r.Users), strconv.FormatUint(r.Seed, 10), string(r.Mode)}
	row = append(row, whole(r.Time.Microseconds(), int64(r.Requests), int64(r.Runs), int64(r.Refused), r.PromptTokens, r.CachedTokens,
		r.Computed, r.AnswerTokens, int64(r.Preemptions), int64(r.Steps), r.Idle.Microseconds(), r.Context, r.Pairs, r.Decoded)...)
	for _, f := range []float64{r.UseMean, r.UseMax, r.RunningMean, r.WaitingMean} {
		row = append(row, strconv.FormatFloat(f, 'f', 4, 64))
	}
	return row
}

// parseRow reads the row of a run that is known.
func parseRow(of Run, row []string) (Record, error) {
	r := Record{Run: of}
	if head := (&Record{Run: of}).row()[:5]; strings.Join(row[:5], ",") != strings.Join(head, ",") {
		return r, fmt.Errorf("it has the run %v where %v comes", row[:5], head)
	}
	var whole [14]int64
	var err error
	for i := range whole {
		if whole[i], err = strconv.ParseInt(row[5+i], 10, 64); err != nil {
			return r, err
		}
	}
	for i, f := range []*float64{&r.UseMean, &r.UseMax, &r.RunningMean, &r.WaitingMean} {
		if *f, err = strconv.ParseFloat(row[5+len(whole)+i], 64); err != nil {
			return r, err
		}
	}
	r.Time, r.Requests, r.Runs, r.Refused = time.Duration(whole[0])*time.Microsecond, int(whole[1]), int(whole[2]), int(whole[3])
	r.PromptTokens, r.CachedTokens, r.Computed, r.AnswerTokens = whole[4], whole[5], whole[6], whole[7]
	r.Preemptions, r.Steps, r.Idle = int(whole[8]), int(whole[9]), time.Duration(whole[10])*time.Microsecond
	r.Context, r.Pairs, r.Decoded = whole[11], whole[12], whole[13]
	return r, nil
}

// settings is the first line of a file of rows: what its runs share.
func (b *Bench) settings() string {
	return fmt.Sprintf("# preset %s, a token of context %v, start %s, warm-up %v, measured %v\n",
		b.Preset.Name, b.Preset.Config.Cost.ContextToken, b.Start, b.Warmup, b.Measure)
}

// readRows reads the records that a file has of the first of these runs. A last line that was not written whole is dropped.
func (b *Bench) readRows(name string, runs []Run) ([]Record, error) {
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) || err == nil && len(text) == 0 {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	head := b.settings() + strings.Join(columns, ",") + "\n"
	body, ok := strings.CutPrefix(string(text), head)
	if !ok && strings.HasPrefix(head, string(text)) {
		return nil, nil
	} else if !ok {
		return nil, fmt.Errorf("%s: it is of another experiment; its head should be\n%s", name, head)
	}
	list, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var records []Record
	for i, row := range list {
		if i >= len(runs) || len(row) != len(columns) {
			return nil, fmt.Errorf("%s: row %d belongs to another experiment", name, i+1)
		}
		r, err := parseRow(runs[i], row)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", name, i+1, err)
		}
		records = append(records, r)
	}
	return records, nil
}

// rows renders a whole file.
func (b *Bench) rows(records []Record) []byte {
	var out bytes.Buffer
	out.WriteString(b.settings() + strings.Join(columns, ",") + "\n")
	for i := range records {
		out.WriteString(strings.Join(records[i].row(), ",") + "\n")
	}
	return out.Bytes()
}
