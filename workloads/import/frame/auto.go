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
		found, err := Detect(formats, in, in.Size())
		if err != nil {
			return nil, err
		}
		o.Log.Infof("format %s", found[0].Name)
		for _, f := range found[1:] {
			o.Log.Infof("also format %s", f.Name)
		}
		return found[0], nil
	})
}

// detectRecords is how many records of each format's kind are looked at.
const detectRecords = 16

// Detect gives the formats whose records the file holds: those that know the largest share of the first records, in the
// order of the list.
func Detect(formats []Format, r io.ReaderAt, size int64) ([]*Format, error) {
	var best []*Format
	bestHits, bestSeen := 0, 1
	var names []string
	for i := range formats {
		f := &formats[i]
		names = append(names, f.Name)
		hits, seen, err := sample(f, r, size)
		switch {
		case err != nil:
			return nil, err
		case hits*bestSeen > bestHits*seen:
			best, bestHits, bestSeen = []*Format{f}, hits, seen
		case hits > 0 && hits*bestSeen == bestHits*seen:
			best = append(best, f)
		}
	}
	if best == nil {
		return nil, sdk.Faults{{
			Input: Input, Code: "format-unknown", Message: "the file has none of the formats that this plugin reads: " + seen(r, size),
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
