package native

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// Levels of log lines, as the contract numbers them.
const (
	levelDebug = iota
	levelInformation
	levelWarning
	levelError
)

// printed takes what a plugin prints, gives it on as log lines, and keeps what may tell why it ended.
type printed struct {
	log func(level int, text string)

	mu      sync.Mutex
	partial []byte
	said    []string // last plain lines
	cause   string   // the first line of a crash of Go
}

// Write implements io.Writer.
func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(b)
	for {
		line, rest, ok := bytes.Cut(b, []byte("\n"))
		p.partial = append(p.partial, line[:min(len(line), maxLine-len(p.partial))]...)
		if !ok {
			return n, nil
		}
		p.line(string(p.partial))
		p.partial, b = p.partial[:0], rest
	}
}

func (p *printed) line(text string) {
	text = strings.TrimRight(strings.ToValidUTF8(text, "\uFFFD"), "\r ")
	if text == "" {
		return
	}
	level, message, ok := logged(text)
	if !ok {
		level, message = levelInformation, text
		p.keep(text)
	}
	if p.log != nil {
		p.log(level, message)
	}
}

// keep remembers a plain line.
func (p *printed) keep(text string) {
	if p.cause == "" && (strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ")) {
		p.cause = text
	}
	const lines = 3
	p.said = append(p.said, text)
	p.said = p.said[max(len(p.said)-lines, 0):]
}

// why is what the plugin printed that tells best why it ended.
func (p *printed) why() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause != "" {
		return oneLine(p.cause, 500)
	}
	return oneLine(strings.Join(p.said, "\n"), 500)
}

// logged reads a line in the form of hclog: a JSON object with @level and @message.
func logged(text string) (level int, message string, ok bool) {
	if !strings.HasPrefix(text, "{") {
		return 0, "", false
	}
	var entry struct {
		Level   string `json:"@level"`
		Message string `json:"@message"`
	}
	if json.Unmarshal([]byte(text), &entry) != nil || entry.Level == "" {
		return 0, "", false
	}
	levels := map[string]int{"trace": levelDebug, "debug": levelDebug, "info": levelInformation, "warn": levelWarning, "error": levelError}
	level, ok = levels[entry.Level]
	return level, entry.Message, ok
}

// throttled slows down a plugin that prints too much through the channel that go-plugin has for it: what comes there has
// been received already, so it cannot be dropped before it costs.
type throttled struct {
	to   *printed
	left float64
	last time.Time
}

func newThrottled(to *printed) *throttled {
	return &throttled{to: to, left: printBurst, last: time.Now()}
}

// Write implements io.Writer; go-plugin calls it from one goroutine.
func (t *throttled) Write(b []byte) (int, error) {
	now := time.Now()
	t.left = min(t.left+now.Sub(t.last).Seconds()*16*printRate, printBurst)
	t.last = now
	t.left -= float64(len(b))
	if t.left < 0 {
		time.Sleep(time.Duration(-t.left / (16 * printRate) * float64(time.Second)))
	}
	return t.to.Write(b)
}
