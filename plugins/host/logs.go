package host

import (
	"strings"
	"sync"
)

// logs is a component's log budget over all its workers.
type logs struct {
	mu                 sync.Mutex
	limit              int64
	bytes              int64 // passed on
	cutLines, cutBytes uint64
}

// LogCut tells how much log output of the component was cut because it was above its limit: lines that were cut or
// dropped, and bytes.
func (c *Component) LogCut() (lines, bytes uint64) {
	c.logs.mu.Lock()
	defer c.logs.mu.Unlock()
	return c.logs.cutLines, c.logs.cutBytes
}

// logLine passes one line on while the budget lasts. The worker has a budget of its own, but workers are replaced.
func (c *Component) logLine(level int, line string) {
	c.logs.mu.Lock()
	defer c.logs.mu.Unlock()
	if c.logs.bytes+int64(len(line)) > c.logs.limit {
		c.logs.cutLines++
		c.logs.cutBytes += uint64(len(line))
		return
	}
	c.logs.bytes += int64(len(line)) + 1
	if c.plugin.log != nil {
		c.plugin.log(Line{Plugin: c.plugin.name, Component: c.opts.Name, Level: level, Text: line})
	}
}

func (c *Component) logCut(lines, bytes uint64) {
	c.logs.mu.Lock()
	defer c.logs.mu.Unlock()
	c.logs.cutLines += lines
	c.logs.cutBytes += bytes
}

func (c *Component) logUsed() bool {
	c.logs.mu.Lock()
	defer c.logs.mu.Unlock()
	return c.logs.bytes > 0 || c.logs.cutLines > 0
}

// text makes a status text fit to be shown.
func text(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
