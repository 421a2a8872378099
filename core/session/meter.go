package session

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/sample"
)

// Meter reads the target's own figures. It always answers: where they could not be read, the record says so. Rec and At are
// filled in by the session.
type Meter interface {
	Read(ctx context.Context) journal.Telemetry
}

// DefaultMeterEvery is how often a Meter is asked during the load: often enough for a mean of what a KV cache holds over a
// point of ten minutes, and seldom beside what a server does for one request.
const DefaultMeterEvery = 10 * time.Second

// meterTimeout bounds one reading.
const meterTimeout = 5 * time.Second

var errMeterTimeout = fmt.Errorf("no answer within %v", meterTimeout)

// metering asks a Meter before the load, during it and after it. It runs beside the scheduler and shares nothing with it.
type metering struct {
	target Target
	w      *journal.Writer
	epoch  time.Time
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// meter takes the first reading of each target that has a Meter and goes on with those that expose a page.
func meter(ctx context.Context, parts *Parts, w *journal.Writer) (all meterings) {
	every := parts.MeterEvery
	if every <= 0 {
		every = DefaultMeterEvery
	}
	for _, t := range parts.targets() {
		m := &metering{target: t, w: w, epoch: parts.Epoch}
		if t.Meter != nil && m.read(ctx) != journal.NotExposed {
			all = append(all, m)
		}
	}
	for _, m := range all {
		m.begin(ctx, every)
	}
	return all
}

// begin reads on until end.
func (m *metering) begin(ctx context.Context, every time.Duration) {
	ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	m.done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.read(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
}

// meterings are those of a run, one for each target that is asked.
type meterings []*metering

// end takes the last readings, unless the run was aborted.
func (all meterings) end(ctx context.Context, abort <-chan struct{}) {
	for _, m := range all {
		m.stop()
		m.done.Wait()
	}
	for _, m := range all {
		select {
		case <-abort:
		default:
			m.read(context.WithoutCancel(ctx))
		}
	}
}

// read records one reading; one that the end of the load cut short is none.
func (m *metering) read(ctx context.Context) journal.Missing {
	limited, cancel := context.WithTimeoutCause(ctx, meterTimeout, errMeterTimeout)
	defer cancel()
	t := m.target.Meter.Read(limited)
	if ctx.Err() != nil {
		return journal.Unread
	}
	t.At, t.Target = sample.At(m.epoch, time.Now()), m.target.Name
	m.w.Metered(t)
	return t.Missing
}

// EndpointMeter reads the metrics page of the target's server.
type EndpointMeter struct {
	Client *endpoint.Client // of its own, so that no turn waits for one of its connections
	Root   string           // URL of the server for the record, without secrets
	Paths  []string         // below it, tried in this order until one has a known page

	known int // 1-based path that had one
}

// Read implements Meter.
func (m *EndpointMeter) Read(ctx context.Context) journal.Telemetry {
	if m.known > 0 {
		t, _ := m.one(ctx, m.Paths[m.known-1])
		if t.Reading == nil {
			t.Missing = journal.Unread // it was there before
		}
		return t
	}
	var first *journal.Telemetry
	for i, path := range m.Paths {
		t, sure := m.one(ctx, path)
		if t.Reading != nil {
			m.known = i + 1
			return t
		}
		if first == nil || !sure {
			first = &t
		}
		if !sure {
			break
		}
	}
	return *first
}

// one reads one page. sure is false where the server might answer otherwise another time.
func (m *EndpointMeter) one(ctx context.Context, path string) (t journal.Telemetry, sure bool) {
	shown, _, _ := strings.Cut(path, "?") // what follows may be a token
	t.Source = m.Root + shown
	reply, err := m.Client.Get(ctx, path)
	if err != nil {
		t.Missing, t.Error = journal.Unread, strings.ReplaceAll(m.Client.Redact(err.Error()), path, shown)
		return t, false
	}
	if reply.Status == http.StatusOK {
		if reading, ok := engine.ReadMetrics(reply.Body); ok {
			t.Reading = reading
			return t, true
		}
		t.Missing, t.Error = journal.NotExposed, "no metrics page of a known engine"
		return t, true
	}
	t.Missing, t.Error = journal.Unread, fmt.Sprintf("status %d", reply.Status)
	if reply.Status/100 == 4 && reply.Status != http.StatusTooManyRequests || reply.Status == http.StatusNotImplemented {
		t.Missing, sure = journal.NotExposed, true
	}
	return t, sure
}
