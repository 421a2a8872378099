package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"paceline/core/sample"
	"paceline/core/stats"
)

// Compare holds two passes against each other. It is an error where they did not send the same requests; equal journals give
// equal results.
func Compare(first, second *Recorded) (*Result, error) {
	if first.Config.Run == second.Config.Run {
		return nil, errors.New("both passes are the same run")
	}
	if err := same(first, second); err != nil {
		return nil, err
	}
	all, err := pairs(first, second)
	if err != nil {
		return nil, err
	}
	r := &Result{Schema: Schema, Reasons: []string{}, Passes: [2]Pass{passOf(first), passOf(second)}}
	r.Paired.Turns = len(all)
	r.decode(all)
	r.equal(all)
	r.firstToken(all)
	r.conclude()
	return r, nil
}

func passOf(r *Recorded) Pass {
	p := Pass{Run: r.Config.Run, RunConfig: r.Digest}
	for i := range r.Run.Samples {
		switch s := &r.Run.Samples[i]; {
		case s.Phase == sample.Warmup:
		case s.Outcome == sample.OK:
			p.OK++
		default:
			p.Failed++
		}
	}
	return p
}

// cluster is what one trajectory adds: the paces of its turns in both passes.
type cluster struct{ sums [2]int64 }

// ranges are the positions of turns that are told apart, by their last one.
var ranges = []int{1, 2, 4, 8, 16, 32, 64, 1 << 30}

func (r *Result) decode(all []pair) {
	d := &r.Decode
	d.Unit, d.Bound, d.Verdict, d.Turns = "byte", stats.Of(MaxFaster), Inconclusive, []TurnRange{}
	tokens := counted(all)
	if tokens {
		d.Unit = "token"
	}
	byPlace := map[place]int{}
	var clusters []cluster
	positions := make([]cluster, len(ranges))
	counts := make([]int, len(ranges))
	for _, p := range all {
		at := place{workload: p.place.workload, index: p.place.index} // all repeats of a trajectory resemble each other
		k, ok := byPlace[at]
		if !ok {
			k = len(clusters)
			byPlace[at] = k
			clusters = append(clusters, cluster{})
		}
		a, ok1 := pace(p.both[0], tokens)
		b, ok2 := pace(p.both[1], tokens)
		if !ok1 || !ok2 {
			continue
		}
		r.Paired.Decoded++
		band, _ := slices.BinarySearch(ranges, p.number)
		counts[band]++
		for i, ns := range []int64{a, b} {
			clusters[k].sums[i] += ns
			positions[band].sums[i] += ns
		}
	}
	r.Paired.Trajectories = len(clusters)
	for i, p := range positions {
		if counts[i] > 0 {
			from := 1
			if i > 0 {
				from = ranges[i-1] + 1
			}
			d.Turns = append(d.Turns, TurnRange{from, ranges[i], counts[i], mean(p.sums[0], counts[i]), mean(p.sums[1], counts[i])})
		}
	}
	d.judge(clusters, r.Paired.Decoded)
}

func (d *Decode) judge(clusters []cluster, turns int) {
	var sum cluster
	for _, c := range clusters {
		sum.sums[0] += c.sums[0]
		sum.sums[1] += c.sums[1]
	}
	if turns == 0 || sum.sums[0] == 0 {
		return
	}
	d.First, d.Second = mean(sum.sums[0], turns), mean(sum.sums[1], turns)
	faster := sum.faster()
	d.Faster = stats.Of(faster)
	d.Low, d.High = interval(clusters)
	switch {
	case len(clusters) < LeastPaired:
	case faster > MaxFaster:
		d.Verdict = Failed
	default:
		d.Verdict = Passed
	}
}

func (c cluster) faster() float64 { return float64(c.sums[0]-c.sums[1]) / float64(c.sums[0]) }

// mean is a mean in microseconds of a sum in nanoseconds.
func mean(sum int64, n int) stats.Num { return stats.Ratio(sum, int64(n)*1000) }

// interval is the 95 % interval of how much faster the second pass is, from resampling trajectories.
func interval(clusters []cluster) (low, high stats.Num) {
	if len(clusters) < 2 {
		return stats.None(), stats.None()
	}
	random := rand.NewPCG(1, uint64(len(clusters)))
	var drawn []float64
	for range stats.Resamples {
		var sum cluster
		for range clusters {
			k, _ := bits.Mul64(random.Uint64(), uint64(len(clusters)))
			sum.sums[0] += clusters[k].sums[0]
			sum.sums[1] += clusters[k].sums[1]
		}
		if sum.sums[0] > 0 {
			drawn = append(drawn, sum.faster())
		}
	}
	slices.Sort(drawn)
	if len(drawn) == 0 {
		return stats.None(), stats.None()
	}
	return stats.Of(drawn[len(drawn)*25/1000]), stats.Of(drawn[(len(drawn)*975-1)/1000])
}

func (r *Result) equal(all []pair) {
	e := &r.Equal
	e.Bound, e.Verdict = stats.Of(MaxEqual), Inconclusive
	for _, p := range all {
		a, b := text(p.both[0]), text(p.both[1])
		if !p.sampled || min(len(a), len(b)) < LongBytes {
			e.Skipped++
			continue
		}
		e.Long++
		if a == b {
			e.Equal++
		}
	}
	if e.Long < LeastPaired {
		return
	}
	e.Share, e.Verdict = stats.Ratio(int64(e.Equal), int64(e.Long)), Passed
	if float64(e.Equal) > MaxEqual*float64(e.Long) {
		e.Verdict = Failed
	}
}

// text is what an answer says: reasoning, content, names and arguments of calls.
func text(s *sample.Sample) string {
	var m struct {
		Content   string `json:"content"`
		Reasoning string `json:"reasoning_content"`
		Calls     []struct {
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	if json.Unmarshal(s.Answer.Message, &m) != nil {
		return ""
	}
	t := m.Reasoning + "\x00" + m.Content
	for _, c := range m.Calls {
		t += "\x00" + c.Function.Name + "\x00" + string(c.Function.Arguments)
	}
	return t
}

func (r *Result) firstToken(all []pair) {
	var sums [2]int64
	for _, p := range all {
		for i, s := range p.both {
			d, _ := s.Timing.FirstToken.Since(s.Timing.Sent)
			sums[i] += int64(d)
		}
	}
	if len(all) > 0 {
		n := int64(len(all)) * 1_000_000
		r.FirstToken = FirstToken{stats.Ratio(sums[0], n), stats.Ratio(sums[1], n)}
	}
}

func (r *Result) conclude() {
	d, e := &r.Decode, &r.Equal
	if d.Verdict == Failed {
		r.because("tokens of the second pass came %.1f %% faster; at most %.0f %% are allowed: answers seem to be kept", 100*d.Faster.Or(0), 100*MaxFaster)
	}
	if e.Verdict == Failed {
		r.because("%d of %d long answers are equal byte for byte, though sampled at temperature 1 without a seed; at most %.0f %% are allowed", e.Equal, e.Long, 100*MaxEqual)
	}
	if len(r.Reasons) > 0 {
		r.Verdict = Failed
		return
	}
	if d.Verdict == Inconclusive {
		r.because("the pace of decoding could be compared in %d trajectories; want at least %d with answers of two tokens", r.Paired.Trajectories, LeastPaired)
	}
	if e.Verdict == Inconclusive {
		r.because("%d long answers were left to chance; want at least %d of %d bytes or more, at temperature 1 and without a seed in the request", e.Long, LeastPaired, LongBytes)
	}
	r.Verdict = Passed
	if len(r.Reasons) > 0 {
		r.Verdict = Inconclusive
	}
}

func (r *Result) because(format string, args ...any) {
	r.Reasons = append(r.Reasons, fmt.Sprintf(format, args...))
}
