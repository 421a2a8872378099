package wasmworker

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Levels of log lines.
const (
	LevelDebug = iota
	LevelInfo
	LevelWarning
	LevelError
)

// maxLine is the longest log line that is forwarded; the rest of a longer one is cut.
const maxLine = 8 << 10

// logs forwards log lines to the parent up to a budget and counts the rest.
type logs struct {
	out          *worker
	budget       int64
	lines, bytes uint64 // cut since the last report
}

func newLogs(w *worker, budget int64) *logs { return &logs{out: w, budget: budget} }

// line forwards one line, cut to what is left of the budget.
func (l *logs) line(instance, level uint32, text []byte) {
	keep := text[:min(int64(len(text)), maxLine, max(l.budget, 0))]
	if rest := len(text) - len(keep); rest > 0 || l.budget <= 0 {
		l.cut(1, uint64(rest))
	}
	if l.budget <= 0 {
		return
	}
	l.budget -= int64(len(keep)) + 1
	l.out.write(KindLog, U32(instance), []byte{byte(min(level, LevelError))}, keep)
	_ = l.out.out.Flush() // a line tells how a long call goes on; where the parent is gone the frame that ends the call shows it
}

func (l *logs) cut(lines, bytes uint64) {
	l.lines += lines
	l.bytes += bytes
}

// report tells the parent what was cut since the last report.
func (l *logs) report() {
	if l.lines == 0 && l.bytes == 0 {
		return
	}
	body := binary.LittleEndian.AppendUint32(nil, 0)
	body = binary.LittleEndian.AppendUint64(body, l.lines)
	body = binary.LittleEndian.AppendUint64(body, l.bytes)
	l.lines, l.bytes = 0, 0
	l.out.write(KindDropped, body)
}

// print collects what the guest prints and logs whole lines of it.
func (e *engine) print(fd uint32, text []byte) {
	pending := &e.current.prints[fd-1]
	for {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		pending.Write(line[:min(len(line), maxLine+1-min(pending.Len(), maxLine+1))])
		if !ended {
			return
		}
		e.logPrinted(e.current, fd, pending)
		text = rest
	}
}

// flushPrints logs the lines that are left without an end after a call.
func (e *engine) flushPrints(inst *instance) {
	for i := range inst.prints {
		if inst.prints[i].Len() > 0 {
			e.logPrinted(inst, uint32(i)+1, &inst.prints[i])
		}
	}
}

func (e *engine) logPrinted(inst *instance, fd uint32, pending *bytes.Buffer) {
	level := uint32(LevelInfo)
	if fd == fdStderr {
		level = LevelWarning
	}
	e.logs.line(inst.id, level, pending.Bytes())
	if fd == fdStderr && inst.said == "" {
		const most = 200
		inst.said = strings.ToValidUTF8(string(pending.Bytes()[:min(pending.Len(), most)]), "?")
	}
	pending.Reset()
}
