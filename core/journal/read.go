package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"paceline/core/sample"
)

// Read reads and joins the journal of a run. It is as tolerant as can be without hiding anything: a torn end costs only
// itself, damage is listed, unknown records are counted, and turns whose samples are missing are completed. It fails where
// no segment has a head, or a segment is of another version.
func Read(dir string) (*Run, error) {
	list, err := segments(dir)
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("read %s: %w", dir, ErrNoSegments)
	}
	contents, hurt, err := readContents(dir)
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	var parts []*segment
	for i, n := range list {
		if n != i+1 && (i == 0 || list[i-1] != n-1) {
			hurt = append(hurt, Damage{File: SegmentFile(n - 1), Reason: "the segment is missing"})
		}
		data, err := os.ReadFile(filepath.Join(dir, SegmentFile(n)))
		if err != nil {
			return nil, fmt.Errorf("read run: %w", err)
		}
		s, err := readSegment(SegmentFile(n), data)
		if err != nil {
			return nil, fmt.Errorf("read run: %w", err)
		}
		parts = append(parts, s)
	}
	run, err := join(parts)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	run.Content = contents
	run.Damage = append(hurt, run.Damage...)
	return run, nil
}

// segment is one segment as read, offsets from its own epoch.
type segment struct {
	name    string
	head    *Head
	plans   []Plan
	starts  []sample.Conversation
	ends    []sample.Conversation
	sent    []Sent
	samples []sample.Sample
	phases  []PhaseChange
	lives   []Live
	facts   []Probe
	again   []sample.Recheck
	checks  []sample.SelfCheck
	told    []Telemetry
	foot    *Foot
	torn    int64
	unknown int64
	damage  []Damage
}

// errHead is why a segment's records cannot be placed in time.
var errHead = errors.New("the segment does not begin with its head")

// readSegment reads one segment. One without a head keeps nothing else; its bytes are torn.
func readSegment(name string, data []byte) (*segment, error) {
	s := &segment{name: name}
	scan, err := newScanner(name, data)
	if err != nil {
		return nil, err
	}
	var refused error
	scan.each(func(r Record) bool {
		err := s.add(r.Line)
		switch {
		case err == nil:
		case errors.Is(err, errVersion):
			refused = fmt.Errorf("%s: %w", name, err)
		case errors.Is(err, errHead):
		default:
			s.damage = append(s.damage, Damage{File: name, Offset: r.Offset, Reason: err.Error()})
		}
		return refused == nil && !errors.Is(err, errHead)
	}, func(d *Damage) bool {
		s.damage = append(s.damage, *d)
		if d.Tail {
			s.torn += d.Bytes
		}
		return true
	})
	if refused != nil {
		return nil, refused
	}
	if s.head == nil {
		d := Damage{File: name, Bytes: int64(len(data)), Tail: true, Reason: errHead.Error()}
		return &segment{name: name, torn: d.Bytes, damage: []Damage{d}}, nil
	}
	return s, nil
}

var errVersion = errors.New("the journal is of another version")

// add takes one record.
func (s *segment) add(line []byte) error {
	kind, err := kindOf(line)
	if err != nil {
		return err
	}
	if s.head == nil {
		if kind != "head" {
			return errHead
		}
		s.head = &Head{}
		if err := json.Unmarshal(line, s.head); err != nil {
			s.head = nil
			return errHead
		}
		if s.head.Schema != Version {
			return fmt.Errorf("%w: %q, want %s", errVersion, s.head.Schema, Version)
		}
		return nil
	}
	return s.addKind(kind, line)
}

func (s *segment) addKind(kind string, line []byte) (err error) {
	switch kind {
	case "plan":
		s.plans, err = decoded(s.plans, line)
	case "start":
		var r Start
		if err = json.Unmarshal(line, &r); err == nil {
			s.starts = append(s.starts, r.Conversation)
		}
	case "end":
		var r End
		if err = json.Unmarshal(line, &r); err == nil {
			s.ends = append(s.ends, r.Conversation)
		}
	case "sent":
		s.sent, err = decoded(s.sent, line)
	case "sample":
		var r Sample
		if err = json.Unmarshal(line, &r); err == nil {
			s.samples = append(s.samples, toSample(&r))
			err = sample.Chunks(r.Chunks).Check()
		}
	case "phase":
		s.phases, err = decoded(s.phases, line)
	case "live":
		s.lives, err = decoded(s.lives, line)
	case "probe":
		s.facts, err = decoded(s.facts, line)
	case "recheck":
		var r Recheck
		if err = json.Unmarshal(line, &r); err == nil {
			s.again = append(s.again, r.Recheck)
		}
	case "selfcheck":
		var r SelfCheck
		if err = json.Unmarshal(line, &r); err == nil {
			s.checks = append(s.checks, r.SelfCheck)
		}
	case "telemetry":
		s.told, err = decoded(s.told, line)
	case "foot":
		s.foot = &Foot{}
		if err = json.Unmarshal(line, s.foot); err != nil {
			s.foot = nil
		}
	default:
		s.unknown++
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return nil
}

// decoded appends the record of line to list.
func decoded[T any](list []T, line []byte) ([]T, error) {
	var r T
	if err := json.Unmarshal(line, &r); err != nil {
		return list, err
	}
	return append(list, r), nil
}

// kindOf reads the record's kind, from its first key where it is as this package writes it.
func kindOf(line []byte) (string, error) {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"rec":"`)); ok {
		if i := bytes.IndexByte(rest, '"'); i >= 0 && bytes.IndexByte(rest[:i], '\\') < 0 {
			return string(rest[:i]), nil
		}
	}
	var r struct {
		Rec string `json:"rec"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return "", fmt.Errorf("not a record: %w", err)
	}
	return r.Rec, nil
}

// move shifts everything in s so that its offsets count from epoch.
func (s *segment) move(epoch time.Time) {
	d := sample.Offset(s.head.Epoch.Sub(epoch))
	if d == 0 {
		return
	}
	for _, list := range [][]sample.Conversation{s.starts, s.ends} {
		for i := range list {
			move(&list[i].Arrival, d)
			move(&list[i].Start, d)
			move(&list[i].End, d)
		}
	}
	for i := range s.samples {
		shift(&s.samples[i].Timing, d)
	}
	for i := range s.sent {
		move(&s.sent[i].At, d)
	}
	for i := range s.phases {
		move(&s.phases[i].At, d)
	}
	for i := range s.lives {
		move(&s.lives[i].Start, d)
		move(&s.lives[i].Done, d)
	}
	for i := range s.facts {
		move(&s.facts[i].At, d)
	}
	for i := range s.again {
		move(&s.again[i].At, d)
	}
	for i := range s.checks {
		move(&s.checks[i].At, d)
	}
	for i := range s.told {
		move(&s.told[i].At, d)
	}
	if s.foot != nil {
		move(&s.foot.At, d)
	}
}
