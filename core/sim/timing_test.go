package sim_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/sim"

	"github.com/google/go-cmp/cmp"
)

// The default coefficients, written out once more so that a change is seen.
const (
	base     = 4 * time.Millisecond
	prefill  = 20 * time.Microsecond
	pair     = 2 * time.Nanosecond
	decode   = 60 * time.Microsecond
	attended = 40 * time.Nanosecond
)

// prefillTime is a step that prefills n tokens after c, and nothing else.
func prefillTime(n, c int) time.Duration {
	return base + time.Duration(n)*prefill + time.Duration(n*(2*c+n)/2)*pair
}

// text returns a text of n tokens that begins with its name.
func text(name string, n int) string {
	return (name + strings.Repeat(".", 4*n))[:4*n]
}

func TestInstantsOfOneStream(t *testing.T) {
	inBubble(t, sim.Config{Answer: say("aaaabbbbcccc")}, func(b *bench) {
		r := b.ask(prompt(streaming, text("p", 98))) // and two role marks
		if r.usage == nil || r.usage.Prompt != 100 || r.usage.Completion != 3 || r.usage.Total != 103 {
			t.Fatalf("usage %+v", r.usage)
		}
		want := []time.Duration{prefillTime(100, 0)}
		for i := range 2 {
			want = append(want, want[i]+base+decode+time.Duration(101+i)*attended)
		}
		if diff := cmp.Diff(want, r.tokens); diff != "" {
			t.Errorf("instants of tokens (-want +got):\n%s", diff)
		}
		if r.text != "aaaabbbbcccc" || r.finish != "stop" || !r.done {
			t.Errorf("text %q, finish %q, done %v", r.text, r.finish, r.done)
		}
	})
}

func TestTimeScale(t *testing.T) {
	inBubble(t, sim.Config{Answer: say("aaaa"), TimeScale: 0.1}, func(b *bench) {
		if r := b.ask(prompt(streaming, text("p", 98))); r.tokens[0] != prefillTime(100, 0)/10 {
			t.Errorf("first token after %v", r.tokens[0])
		}
	})
}

func TestFirstTokenGrowsWithThePrompt(t *testing.T) {
	for _, test := range []struct {
		tokens int
		want   time.Duration
	}{
		{1000, prefillTime(1000, 0)},
		{8192, prefillTime(8192, 0)},
		{20000, prefillTime(8192, 0) + prefillTime(8192, 8192) + prefillTime(3616, 16384)},
	} {
		t.Run(fmt.Sprint(test.tokens), func(t *testing.T) {
			inBubble(t, sim.Config{Answer: say("a")}, func(b *bench) {
				if r := b.ask(prompt(streaming, text("p", test.tokens-2))); r.tokens[0] != test.want {
					t.Errorf("first token after %v, want %v", r.tokens[0], test.want)
				}
			})
		})
	}
}

func TestCachedPrefix(t *testing.T) {
	inBubble(t, sim.Config{Answer: say(text("answer", 40))}, func(b *bench) {
		first := b.ask(prompt(streaming, text("p", 998)))
		again := b.ask(prompt(streaming, text("p", 998)))
		if first.usage.Details.Cached != 0 || again.usage.Details.Cached != 992 {
			t.Errorf("cached %d, then %d, want 0 and 992", first.usage.Details.Cached, again.usage.Details.Cached)
		}
		if want := prefillTime(1000-992, 992); again.tokens[0] != want {
			t.Errorf("first token after %v, want %v", again.tokens[0], want)
		}
		// The history of a next turn holds prompt and answer: 1040 tokens, of which
		// the last answer token was never computed.
		next := b.ask(prompt(streaming, text("p", 998), text("answer", 40), text("go on", 20)))
		if got := next.usage.Details.Cached; got != 1039/16*16 {
			t.Errorf("next turn found %d cached tokens, want %d", got, 1039/16*16)
		}
		other := b.ask(prompt(streaming, text("q", 998)))
		if got := other.usage.Details.Cached; got != 0 {
			t.Errorf("another prompt found %d cached tokens", got)
		}
		st := b.server.Stats()
		if st.PrefixQueries != 1000+1000+1062+1000 || st.PrefixHits != 992+1024 {
			t.Errorf("queries %d, hits %d", st.PrefixQueries, st.PrefixHits)
		}
	})
}

func TestPrefixCacheIsLeastRecentlyUsed(t *testing.T) {
	c := sim.Config{Answer: say("a"), KVTokens: 3 * 16 * 7, MaxContext: 200}
	inBubble(t, c, func(b *bench) {
		for _, name := range []string{"a", "b", "c", "a", "d"} { // d pushes out four blocks of b, the end first
			b.ask(prompt(streaming, text(name, 98)))
		}
		for _, test := range []struct {
			name   string
			cached int
		}{{"a", 96}, {"d", 96}, {"b", 32}} {
			if r := b.ask(prompt(streaming, text(test.name, 98))); r.usage.Details.Cached != test.cached {
				t.Errorf("%s found %d cached tokens, want %d", test.name, r.usage.Details.Cached, test.cached)
			}
		}
	})
	c.NoPrefixCache = true
	inBubble(t, c, func(b *bench) {
		b.ask(prompt(streaming, text("a", 98)))
		if r := b.ask(prompt(streaming, text("a", 98))); r.usage.Details.Cached != 0 {
			t.Errorf("found %d cached tokens without a cache", r.usage.Details.Cached)
		}
		if st := b.server.Stats(); st.UsedBlocks != 0 {
			t.Errorf("%d blocks are still used", st.UsedBlocks)
		}
	})
}

// together asks every prompt at once and returns the replies in their order.
func (b *bench) together(bodies ...string) []reply {
	replies := make([]reply, len(bodies))
	var wg sync.WaitGroup
	for i, body := range bodies {
		wg.Go(func() { replies[i] = b.ask(body) })
		synctest.Wait() // fixes the order of arrival
	}
	wg.Wait()
	return replies
}

func TestBatchSlowsDecode(t *testing.T) {
	gap := func(users int) (gap time.Duration) {
		inBubble(t, sim.Config{Answer: say(text("a", 50))}, func(b *bench) {
			var bodies []string
			for i := range users {
				bodies = append(bodies, prompt(streaming, text(fmt.Sprint("p", i), 98)))
			}
			r := b.together(bodies...)[0]
			gap = r.tokens[40] - r.tokens[39]
		})
		return gap
	}
	// The first starts a step before the others, so it has one token more.
	if got, want := gap(1), base+decode+140*attended; got != want {
		t.Errorf("gap with one stream is %v, want %v", got, want)
	}
	if got, want := gap(8), base+8*decode+(140+7*139)*attended; got != want {
		t.Errorf("gap with eight streams is %v, want %v", got, want)
	}
}

func TestPrefillIsChunkedBetweenDecodes(t *testing.T) {
	inBubble(t, sim.Config{Answer: say(text("a", 30)), StepTokens: 101}, func(b *bench) {
		r := b.together(prompt(streaming, text("p", 8)), prompt(streaming, text("q", 998)))
		// The long prompt needs ten steps of 100 tokens beside the decode.
		for i := range 9 {
			want := prefillTime(100, 100*i) + decode + time.Duration(11+i)*attended
			if got := r[0].tokens[i+1] - r[0].tokens[i]; got != want {
				t.Errorf("gap %d is %v, want %v", i, got, want)
			}
		}
	})
}

func TestQueue(t *testing.T) {
	for name, c := range map[string]sim.Config{
		"batch": {MaxBatch: 1},
		"cache": {KVTokens: 160, NoPrefixCache: true}, // ten blocks, each request holds seven
	} {
		t.Run(name, func(t *testing.T) {
			c.Answer = say("aaaabbbb")
			inBubble(t, c, func(b *bench) {
				r := b.together(prompt(streaming, text("p", 98)), prompt(streaming, text("q", 98)))
				if want := r[0].tokens[1] + prefillTime(100, 0); r[1].tokens[0] != want {
					t.Errorf("the second started to answer after %v, want %v", r[1].tokens[0], want)
				}
				if st := b.server.Stats(); st.Preemptions != 0 || st.Finished != 2 {
					t.Errorf("stats %+v", st)
				}
			})
		})
	}
}

func TestPreemption(t *testing.T) {
	// Two prompts of 50 tokens fit into twelve blocks, their answers do not.
	c := sim.Config{KVTokens: 12 * 16, MaxContext: 160, Answer: func(r *sim.Request) (sim.Answer, bool) {
		return sim.Answer{Content: text(r.LastUser()[:1], 100)}, true
	}}
	inBubble(t, c, func(b *bench) {
		r := b.together(prompt(streaming, text("p", 48)), prompt(streaming, text("q", 48)))
		for i, name := range []string{"p", "q"} {
			if r[i].text != text(name, 100) || r[i].usage.Completion != 100 || len(r[i].tokens) != 100 {
				t.Errorf("%s: %d chunks, usage %+v", name, len(r[i].tokens), r[i].usage)
			}
		}
		if st := b.server.Stats(); st.Preemptions != 1 || st.Finished != 2 || st.UsedBlocks != st.IdleBlocks {
			t.Errorf("stats %+v", st)
		}
	})
}

func TestTokensPerChunk(t *testing.T) {
	c := sim.Config{Answer: say("aaaabbbbccccddddeeee"), TokensPerChunk: 3, ContinuousUsage: true}
	inBubble(t, c, func(b *bench) {
		r := b.ask(prompt(streaming, text("p", 98)))
		var counts []string
		for _, e := range r.events {
			if _, rest, ok := strings.Cut(e.data, `"completion_tokens":`); ok {
				n, _, _ := strings.Cut(rest, ",")
				counts = append(counts, n)
			}
		}
		if diff := cmp.Diff([]string{"1", "4", "5", "5", "5"}, counts); diff != "" {
			t.Errorf("usage in chunks (-want +got):\n%s", diff)
		}
		if got, want := r.tokens[1]-r.tokens[0], base+decode+101*attended; got != want {
			t.Errorf("gap %v, want %v", got, want)
		}
		if r.text != "aaaabbbbccccddddeeee" {
			t.Errorf("text %q", r.text)
		}
	})
}
