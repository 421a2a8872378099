package host

import (
	"errors"
	"fmt"
	"strings"
)

// Cause says what kind of failure an Error is.
type Cause string

// Causes.
const (
	Trap        Cause = "trap"              // the guest's code trapped: unreachable, out of bounds, stack overflow, ...
	Exit        Cause = "exit"              // the guest ended itself, also with code 0
	Timeout     Cause = "timeout"           // the limit of CPU time was passed
	WallTimeout Cause = "wall_timeout"      // the wall clock behind the limit of CPU time was passed
	Memory      Cause = "memory"            // the guest's memory limit was passed or it has none for a request
	BigRequest  Cause = "oversized_request" // the request is above the limit: it was not sent
	BigReply    Cause = "oversized_reply"
	Malformed   Cause = "malformed" // the reply is not what the contract says
	Died        Cause = "died"      // the worker process ended for a reason of its own
	Status      Cause = "status"    // the plugin's own error; the instance stays in use
	Interface   Cause = "interface" // no plugin, or one of another interface
	Digest      Cause = "digest"    // the bytes are not the pinned ones
	Start       Cause = "start"     // the worker process could not be started
)

// Error is one failure of a plugin.
type Error struct {
	Plugin    string
	Component string // empty where none is concerned
	Call      string // e.g. Plan; empty outside of calls
	Cause     Cause
	Limit     string // the limit that was passed, for people
	Found     string // what was found, for people
	Expected  string // digest and interface errors
	Path      string // digest errors: where the bytes came from
	Code      uint32 // status: the code of google.rpc.Code; exit: the exit code
	Text      string
	Err       error
	Native    bool // the plugin is an executable
}

// Error names plugin, component, call, cause and limit.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("plugin " + e.Plugin)
	if e.Component != "" {
		b.WriteString(", component " + e.Component)
	}
	if e.Call != "" {
		b.WriteString(", " + e.Call)
	}
	b.WriteString(": " + e.what())
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

func (e *Error) what() string {
	switch e.Cause {
	case Timeout:
		return fmt.Sprintf("passed its limit of %s of CPU time (used %s)", e.Limit, e.Found)
	case WallTimeout:
		if e.Native {
			return fmt.Sprintf("passed the limit of %s on the wall clock", e.Limit)
		}
		return fmt.Sprintf("passed the limit of %s on the wall clock, used %s of CPU time", e.Limit, e.Found)
	case Memory:
		return fmt.Sprintf("passed its memory limit of %s (found %s)", e.Limit, e.Found)
	case BigRequest:
		return fmt.Sprintf("the request has %s, and %s are allowed", e.Found, e.Limit)
	case BigReply:
		return fmt.Sprintf("the reply has %s, and %s are allowed", e.Found, e.Limit)
	case Exit:
		return fmt.Sprintf("the guest exited (code %d) instead of answering", e.Code)
	case Status:
		return fmt.Sprintf("the plugin answers with status %d", e.Code)
	case Digest:
		return fmt.Sprintf("the digest of %s differs: expected sha256 %s, found sha256 %s", e.Path, e.Expected, e.Found)
	case Trap:
		return "the guest trapped"
	case Malformed:
		return "malformed reply"
	case Died:
		if e.Native {
			return "the plugin's process ended"
		}
		return "the worker process ended"
	case Interface:
		return "not a plugin that this runner can use"
	case Start:
		if e.Native {
			return "cannot start the plugin's process"
		}
		return "cannot start a worker process"
	}
	return string(e.Cause)
}

// Unwrap gives the cause behind.
func (e *Error) Unwrap() error { return e.Err }

// Kind is the cause as the judgements file keeps it.
func (e *Error) Kind() string { return string(e.Cause) }

// IsStatus reports whether err is the plugin's own error with that code of google.rpc.Code.
func IsStatus(err error, code uint32) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Cause == Status && e.Code == code
}

// fatal reports whether the instance that err came from must be discarded.
func fatal(err error) bool {
	if err == nil {
		return false
	}
	e, ok := errors.AsType[*Error](err)
	return !ok || e.Cause != Status && e.Cause != BigRequest
}
