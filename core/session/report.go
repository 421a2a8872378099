package session

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"paceline/core/journal"
	"paceline/core/report"
)

// Names of the reports in a run folder.
const (
	ReportJSON = "report.json"
	ReportText = "report.txt"
)

// Reports is the report of one run, as a value and as the bytes of its files.
type Reports struct {
	Result     *report.Result
	JSON, Text []byte
}

// Files is what a run folder holds, read.
type Files struct {
	Config *journal.RunConfig
	Run    *journal.Run
}

// ReadFiles reads a run folder, also one that a crash cut short.
func ReadFiles(dir string) (*Files, error) {
	config, _, err := journal.ReadRunConfig(dir)
	if err != nil {
		return nil, err
	}
	run, err := journal.Read(dir)
	if err != nil {
		return nil, err
	}
	return &Files{config, run}, nil
}

// Report computes the report of a run folder from its journal and judgements, and writes report.json and report.txt. It
// loads no plugin; the same files give the same bytes.
func Report(dir string) (*Reports, error) {
	files, err := ReadFiles(dir)
	if err != nil {
		return nil, err
	}
	return files.report(dir)
}

// Result computes the report and writes nothing.
func (f *Files) Result(dir string) (*report.Result, error) {
	judgements, err := journal.ReadJudgements(dir)
	if err != nil {
		return nil, err
	}
	result, err := report.Build(report.Input{Run: f.Run, Config: f.Config, Judgements: judgements})
	if err != nil {
		return nil, fmt.Errorf("build report of %s: %w", dir, err)
	}
	return result, nil
}

func (f *Files) report(dir string) (*Reports, error) {
	result, err := f.Result(dir)
	if err != nil {
		return nil, err
	}
	var text, raw bytes.Buffer
	if err := report.WriteJSON(&raw, result); err != nil {
		return nil, fmt.Errorf("write report of %s: %w", dir, err)
	}
	if err := report.WriteText(&text, result); err != nil {
		return nil, fmt.Errorf("write report of %s: %w", dir, err)
	}
	r := &Reports{result, raw.Bytes(), text.Bytes()}
	if err := whole(filepath.Join(dir, ReportJSON), r.JSON); err != nil {
		return r, err
	}
	return r, whole(filepath.Join(dir, ReportText), r.Text)
}

func whole(path string, b []byte) error {
	return journal.WriteWhole(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
