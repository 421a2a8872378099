package sdk

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Code says what kind of error a plugin reports; the numbers are those of google.rpc.Code.
type Code uint8

// Codes of errors.
const (
	CodeCancelled          Code = 1
	CodeUnknown            Code = 2 // the code of errors that name none
	CodeInvalidArgument    Code = 3
	CodeDeadlineExceeded   Code = 4
	CodeNotFound           Code = 5
	CodeAlreadyExists      Code = 6
	CodePermissionDenied   Code = 7
	CodeResourceExhausted  Code = 8
	CodeFailedPrecondition Code = 9
	CodeAborted            Code = 10
	CodeOutOfRange         Code = 11
	CodeUnimplemented      Code = 12
	CodeInternal           Code = 13
	CodeUnavailable        Code = 14
	CodeDataLoss           Code = 15
	CodeUnauthenticated    Code = 16
)

// maxStatusText bounds the text of a status in bytes.
const maxStatusText = 4096

// Error is an error with a code.
type Error struct {
	Code Code
	Err  error
}

// Errorf returns an error with a code; the format works as that of fmt.Errorf.
func Errorf(code Code, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error without its code.
func (e *Error) Unwrap() error { return e.Err }

// Faults are what is wrong with a configuration or with inputs, each told so that a person can mend it. An opening
// function returns them as its error.
type Faults []Fault

func (f Faults) Error() string {
	if len(f) == 0 {
		return "no faults"
	}
	text := f[0].Message
	if f[0].Pointer != "" {
		text = f[0].Pointer + ": " + text
	}
	if len(f) > 1 {
		text = fmt.Sprintf("%s (and %d more faults)", text, len(f)-1)
	}
	return text
}

// status makes the reply that tells of an error.
func status(err error) []byte {
	code := CodeUnknown
	if coded, ok := errors.AsType[*Error](err); ok && coded.Code >= CodeCancelled && coded.Code <= CodeUnauthenticated {
		code = coded.Code
	}
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if len(text) > maxStatusText {
		end := maxStatusText
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return append([]byte{replyStatus, byte(code)}, text...)
}

// ParseReply splits a reply into the message or the error that it holds.
func ParseReply(reply []byte) (message []byte, err error) {
	switch {
	case len(reply) > 0 && reply[0] == replyMessage:
		return reply[1:], nil
	case len(reply) > 1 && reply[0] == replyStatus && reply[1] >= 1 && reply[1] <= 16 && len(reply) <= 2+maxStatusText:
		return nil, &Error{Code: Code(reply[1]), Err: errors.New(strings.ToValidUTF8(string(reply[2:]), "\uFFFD"))}
	}
	return nil, errors.New("malformed reply")
}
