package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"paceline/plugins/host"
	"paceline/plugins/lock"
)

// importProgress shows how an import goes: a bar that is written over on a terminal, a plain line every ten seconds
// elsewhere. The first half is the index, of which the plugin tells in its log, the second the trajectories.
type importProgress struct {
	out   io.Writer
	live  bool
	began time.Time

	mu            sync.Mutex
	size, indexed int64 // bytes
	planned, all  uint64
	format        string   // that was found out; empty: none
	also          []string // formats that would have taken the file as well
	index         indexSize
	since         time.Time // when planning began

	stop chan struct{}
	once sync.Once
	done sync.WaitGroup
}

func startImportProgress(out io.Writer) *importProgress {
	p := &importProgress{out: out, live: isTerminal(out), began: time.Now(), stop: make(chan struct{})}
	every := 10 * time.Second
	if p.live {
		every = 500 * time.Millisecond
	}
	p.done.Go(func() { p.run(every) })
	return p
}

// indexSize is what the plugin tells of its index; zero: it told nothing.
type indexSize struct {
	Bytes   int64 `json:"bytes"`
	Most    int64 `json:"most_bytes"`
	Records int64 `json:"records"`
}

// heard reads a plugin's log line: how far its index is and how large, and the format that it found out.
func (p *importProgress) heard(l host.Line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var done, size int64
	if _, err := fmt.Sscanf(l.Text, "indexed %d of %d bytes", &done, &size); err == nil {
		p.indexed = done
	}
	if name, ok := strings.CutPrefix(l.Text, "format "); ok {
		p.format = strings.TrimSpace(name)
	}
	if name, ok := strings.CutPrefix(l.Text, "also format "); ok {
		p.also = append(p.also, strings.TrimSpace(name))
	}
	if _, err := fmt.Sscanf(l.Text, "index of %d bytes, %d records", &p.index.Bytes, &p.index.Records); err == nil {
		p.index.Most = lock.MaxPrepared
	}
}

// Found is the format that the plugin found out, with those that fit as well; empty: it told none.
func (p *importProgress) Found() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.format == "":
		return ""
	case len(p.also) > 0:
		return p.format + " (found out; it might also be " + strings.Join(p.also, ", ") + ")"
	}
	return p.format + " (found out)"
}

// Index is how large the plugin's index is.
func (p *importProgress) Index() indexSize {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.index
}

// Size is told the size of the file.
func (p *importProgress) Size(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size, p.began = n, time.Now()
}

// Planned is told how many trajectories of how many are written.
func (p *importProgress) Planned(n, all uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() {
		p.since = time.Now()
	}
	p.planned, p.all = n, all
}

// End stops showing and leaves a clean line. It may be called twice.
func (p *importProgress) End() {
	p.once.Do(func() { close(p.stop) })
	p.done.Wait()
}

func (p *importProgress) run(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			line := p.line(now)
			if p.live {
				line = "\r\x1b[K" + cut(line, width(p.out))
			} else {
				line += "\n"
			}
			fmt.Fprint(p.out, line)
		case <-p.stop:
			if p.live {
				fmt.Fprint(p.out, "\r\x1b[K")
			}
			return
		}
	}
}

const barWidth = 24

func (p *importProgress) line(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == 0 {
		share := 0.0
		if p.size > 0 {
			share = float64(p.indexed) / float64(p.size)
		}
		return fmt.Sprintf("%s index: %d of %d MiB, %.0f MiB/s", bar(share/2), p.indexed>>20, p.size>>20, perSecond(p.indexed>>20, now.Sub(p.began)))
	}
	share := float64(p.planned) / float64(p.all)
	text := fmt.Sprintf("%s trajectories: %d of %d", bar(0.5+share/2), p.planned, p.all)
	if spent := now.Sub(p.since); share > 0 && spent > time.Second {
		left := time.Duration(float64(spent) * (1 - share) / share)
		text += ", " + left.Round(time.Second).String() + " left"
	}
	return text
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

func bar(share float64) string {
	full := int(min(max(share, 0), 1) * barWidth)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "]"
}
