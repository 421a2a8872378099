package frame

import (
	"fmt"
	"math"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// Format is one kind of trace file. It is a value without state: instances of the plugin come and go between calls.
type Format struct {
	Name    string // of the component
	Summary string // one line
	// Paths tell where in a JSON value of the file a record lies: "" is the value itself, "*" each element of a list,
	// "spans/*" each element of the list spans of an object. A value from which a path leads on is no record itself. A file
	// of JSON Lines has one value a line; any other has one value or several, one after another.
	Paths []string
	// ByTime orders the records of a trace by their time, and by their place where times are equal or missing; else they
	// keep the order of the file.
	ByTime bool
	// Numbers says that times are numbers which only order records: no start offset comes of them.
	Numbers bool
	// Losses are what the format has and a trajectory cannot carry, each under the code by which Scan.Lose counts it.
	Losses     []Loss
	Provenance string // of the workload; empty: recorded
	Reader     Reader
}

// Loss is one documented loss.
type Loss struct{ Code, Text string }

// Reader reads the records of a format.
type Reader interface {
	// Detect reports whether a record looks like one of this format and of no other that is known.
	Detect(r *Record) bool
	// Scan tells in s to which trace a record belongs, and counts what gets lost. A record that it does not tell of is left
	// out. It sees every record of the file once, in file order.
	Scan(r *Record, s *Scan) error
	// Build makes the trajectory of one trace. The frame fills in id, format label and start offset. Equal records give
	// equal trajectories; records share memory that nobody else holds.
	Build(t *Trace) (*sdk.Trajectory, error)
}

// NoTime is the time of a record that tells none.
const NoTime = math.MinInt64

// Record is one record of the file: a JSON value that was checked.
type Record struct {
	Value  rawjson.Value
	Line   uint64 // of its first byte, from 1
	Offset int64  // of its first byte
	Time   int64  // in Build: as Scan told it, nanoseconds, or NoTime
}

// Trace is the records of one trace, in the format's order.
type Trace struct {
	Key     string // as Scan told it
	ID      string // the trajectory's id
	Records []Record
}

// Fault is the error for something wrong with the record that a person can mend. pointer leads from the record to the
// place.
func (r *Record) Fault(pointer, code, expected, format string, args ...any) error {
	return &FaultError{sdk.Fault{
		Input: Input, Line: r.Line, Offset: uint64(r.Offset), Pointer: pointer, Code: code,
		Message: fmt.Sprintf(format, args...), Expected: expected,
	}}
}

// FaultError is one fault of the file.
type FaultError struct{ Fault sdk.Fault }

func (e *FaultError) Error() string {
	return fmt.Sprintf("line %d, offset %d: %s%s", e.Fault.Line, e.Fault.Offset, pointed(e.Fault.Pointer), e.Fault.Message)
}

func pointed(pointer string) string {
	if pointer == "" {
		return ""
	}
	return pointer + ": "
}
