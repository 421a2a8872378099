package frame

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"paceline/sdk"
)

// Auto describes the workload that finds out the format of its file.
func Auto(formats []Format) sdk.Component {
	var names []string
	for i := range formats {
		names = append(names, formats[i].Name)
	}
	return component("auto", "finds out which of the plugin's formats a trace file has", names, func(o *sdk.Opening, in *sdk.Input) (*Format, error) {
		f, err := Detect(formats, in, in.Size())
		if err == nil {
			o.Log.Infof("format %s", f.Name)
		}
		return f, err
	})
}

// detectRecords is how many records of each format's kind are looked at.
const detectRecords = 16

// Detect gives the format whose records the file holds: the one that knows the largest share of the first records, and
// of equal ones the first in the list.
func Detect(formats []Format, r io.ReaderAt, size int64) (*Format, error) {
	var best *Format
	bestHits, bestSeen := 0, 1
	var names []string
	for i := range formats {
		f := &formats[i]
		names = append(names, f.Name)
		hits, seen, err := sample(f, r, size)
		if err != nil {
			return nil, err
		}
		if hits*bestSeen > bestHits*seen {
			best, bestHits, bestSeen = f, hits, seen
		}
	}
	if best == nil {
		return nil, sdk.Faults{{
			Input: Input, Code: "format-unknown", Message: "the file has none of the formats that this plugin reads",
			Expected: "one of " + strings.Join(names, ", "),
		}}
	}
	return best, nil
}

// sample counts the records among the first ones that a format knows.
func sample(f *Format, r io.ReaderAt, size int64) (hits, seen int, err error) {
	err = walk(r, min(size, MaxRecord), f.Paths, func(p placed) bool {
		if p.fault == nil {
			seen++
			if f.Reader.Detect(&p.record) {
				hits++
			}
		}
		return seen < detectRecords
	})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("read the trace file: %w", err)
	}
	return hits, max(seen, 1), nil
}
