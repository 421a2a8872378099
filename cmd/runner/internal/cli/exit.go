package cli

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// Exit codes. Scripts may rely on them; docs/cli.md lists them for users.
const (
	exitOK          = 0   // everything asked for was done
	exitInternal    = 1   // the runner itself could not go on, e.g. a full disk
	exitUsage       = 2   // unknown command, flag or key, or a value that cannot be
	exitInput       = 3   // a data set, a plugin, a lock or a run folder was refused
	exitTarget      = 4   // the endpoint is down, refuses, or is no OpenAI-compatible endpoint
	exitFailed      = 5   // the run failed: no turn succeeded, records were lost, or its plugin failed
	exitTurns       = 6   // more turns failed than max_failed allows
	exitJudged      = 7   // a validator or a scorer did not pass
	exitLimit       = 8   // the time limit cut turns that were still open
	exitInterrupted = 130 // stopped by a signal; what was recorded is valid
)

// coded is an error with the exit code that it stands for, and perhaps what to do about it.
type coded struct {
	code int
	hint string
	err  error
}

func (c *coded) Error() string { return c.err.Error() }
func (c *coded) Unwrap() error { return c.err }

func fail(code int, err error) error { return &coded{code: code, err: err} }

func failHint(code int, err error, hint string) error {
	return &coded{code: code, err: err, hint: hint}
}

func codeOf(err error) int {
	var c *coded
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &c):
		return c.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitInternal
	}
}

// filesCode tells a run folder that cannot be written, for want of room or rights, from one that is wrong.
func filesCode(err error) int {
	for _, e := range []error{syscall.ENOSPC, syscall.EFBIG, syscall.EDQUOT, syscall.EIO, syscall.EROFS, fs.ErrPermission} {
		if errors.Is(err, e) {
			return exitInternal
		}
	}
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return exitInput
}

func hintOf(err error) string {
	var c *coded
	if errors.As(err, &c) {
		return c.hint
	}
	return ""
}
