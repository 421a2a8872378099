package spec

import (
	"errors"
	"math"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/workloads/profiles/shape"
)

const small = `{"name":"x","turns":2,"input":100,"assistant":50,"tool":20,"wait":0.5,"final":10}`

// with puts a member over those of small.
func with(key, value string) string {
	return strings.TrimSuffix(small, "}") + `,"` + key + `":` + value + "}"
}

// distribution reads one distribution of tokens.
func distribution(t *testing.T, text string) Dist {
	t.Helper()
	var faults sdk.Faults
	d := node{[]byte(text), "", &faults}.dist(MaxTokens*micro, 0)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return d
}

// TestDistributions holds mean and quantiles against the textbook.
func TestDistributions(t *testing.T) {
	for _, c := range []struct {
		text         string
		mean         float64 // 0: not held
		p5, p50, p95 float64
	}{
		{`300`, 300, 300, 300, 300},
		{`{"lognormal":{"median":100,"sigma":0.5}}`, 100 * math.Exp(0.125), 43.9, 100, 227.6},
		{`{"lognormal":{"mean":585,"sd":400}}`, 585, 174.4, 482.9, 1337},
		{`{"lognormal":{"median":38.5,"sigma":0.36},"min":4,"max":200}`, 41.08, 21.3, 38.5, 69.6},
		{`{"normal":{"mean":38,"sd":6},"min":25,"max":57}`, 38.03, 28.9, 38.1, 47.8},
		{`{"normal":{"mean":10,"sd":2},"add":100}`, 110, 106.7, 110, 113.3},
		{`{"quantiles":{"at":[0,50,100],"values":[0,10,110]}}`, 32.5, 1, 10, 100},
		{`{"scale":"log","quantiles":{"at":[0,50,100],"values":[10,100,1000]}}`, 0, 12.6, 100, 794},
		{`{"zipf":{"exponent":1,"from":1,"count":3}}`, 1.636, 1, 1, 3},
		{`{"mixture":[{"weight":3,"lognormal":{"median":1000,"sigma":0}},{"weight":1,"normal":{"mean":5,"sd":0}}]}`, 751.25, 1000, 1000, 5},
	} {
		d := distribution(t, c.text)
		sum := 0.0
		const n = 1 << 16
		for i := range n {
			sum += float64(d.At(uint32(i)<<16|1<<15)) / micro
		}
		if mean := sum / n; c.mean > 0 && math.Abs(mean-c.mean) > 0.005*c.mean {
			t.Errorf("%s: mean %v, want %v", c.text, mean, c.mean)
		}
		for p, want := range map[float64]float64{0.05: c.p5, 0.5: c.p50, 0.95: c.p95} {
			if got := float64(d.At(uint32(p*(1<<32)))) / micro; math.Abs(got-want) > 0.01*want+0.01 {
				t.Errorf("%s: %v at %v, want %v", c.text, got, p, want)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, pointer, code string }{
		{`[]`, "", "profile-object"},
		{`{`, "", "profile-json"},
		{`{"name":"a b","turns":2,"input":1,"assistant":1,"tool":1,"wait":1,"final":1}`, "/name", "profile-name"},
		{with("provenance", `"guessed"`), "/provenance", "profile-provenance"},
		{with("schema", `"paceline/profile/v9"`), "/schema", "profile-schema"},
		{with("tools", `1`), "/tools", "unknown-key"},
		{with("effect", `{"wait":1.5}`), "/effect/wait", "profile-number"},
		{with("shared", `[{"tokens":1}]`), "/shared/0/key", "profile-name"},
		{with("shared", `[{"key":"a","tokens":0}]`), "/shared/0/tokens", "profile-number"},
		{with("lengths", `[{"to":7},{"to":7}]`), "/lengths/1/to", "profile-order"},
		{with("end", `{}`), "/end", "profile-empty"},
		{with("end", `7`), "/end", "profile-object"},
		{with("end", `{"chance":2}`), "/end/chance", "profile-number"},
		{with("end", `{"chance":0.1,"scaling":2}`), "/end/scaling", "profile-end"},
		{with("end", `{"context":{"normal":{"mean":5,"sd":1},"min":2000}}`), "/end/context", "profile-bounds"},
		{strings.Replace(small, `"turns":2`, `"turns":10001`, 1), "/turns", "profile-number"},
		{strings.Replace(small, `"turns":2`, `"turns":{"normal":{"mean":2,"sd":1},"min":20}`, 1), "/turns", "profile-bounds"},
		{strings.Replace(small, `"wait":0.5`, `"wait":0.00000001`, 1), "/wait", "profile-number"},
		{strings.Replace(small, `"tool":20`, `"tool":[{"from":1,"normal":{"mean":1,"sd":1}}]`, 1), "/tool/0/from", "profile-order"},
		{strings.Replace(small, `"tool":20`, `"tool":{"lognormal":{"mean":1,"sigma":1}}`, 1), "/tool/lognormal", "profile-distribution"},
		{strings.Replace(small, `"tool":20`, `"tool":{"max":3}`, 1), "/tool", "profile-distribution"},
		{strings.Replace(small, `"tool":20`, `"tool":{"quantiles":{"at":[0,50],"values":[1,2]}}`, 1), "/tool/quantiles/at", "profile-quantiles"},
		{strings.Replace(small, `"tool":20`, `"tool":{"quantiles":{"at":[0,100],"values":[2,1]}}`, 1), "/tool/quantiles/values/1", "profile-order"},
		{strings.Replace(small, `"tool":20`, `"tool":{"quantiles":{"at":[0],"values":[2]}}`, 1), "/tool/quantiles", "profile-quantiles"},
		{strings.Replace(small, `"tool":20`, `"tool":{"mixture":[{"weight":1,"normal":{"mean":1,"sd":1}}],"max":3}`, 1), "/tool/max", "profile-mixture"},
		{strings.Replace(small, `"tool":20`, `"tool":{"zipf":{"exponent":1,"count":1000000}}`, 1), "/tool/zipf/count", "profile-number"},
	} {
		_, err := Read([]byte(c.text), "")
		var faults sdk.Faults
		if !errors.As(err, &faults) || faults[0].Pointer != c.pointer || faults[0].Code != c.code {
			t.Errorf("%s: %v, want %s at %q", c.text, err, c.code, c.pointer)
		}
	}
}

func TestDraw(t *testing.T) {
	p, err := Read([]byte(with("shared", `[{"key":"system","tokens":1000},{"key":"group","tokens":10,"pool":3,"zipf":0.6}]`)), "")
	if err != nil {
		t.Fatal(err)
	}
	var trace shape.Trace
	seen := map[string]int{}
	for i := range 1000 {
		p.Draw(shape.NewRandom([32]byte{byte(i), byte(i >> 8)}), &trace)
		if trace.Input != 1110 || len(trace.Turns) != 2 || trace.Final != 10 || trace.Turns[1] != (shape.Turn{Assistant: 50, Tool: 20, Wait: 500_000}) || trace.Shared[0].Key != "system" {
			t.Fatalf("%+v", trace)
		}
		seen[trace.Shared[1].Key]++
	}
	// 1, 2^-0.6 and 3^-0.6 of their sum.
	for key, want := range map[string]int{"group/0": 460, "group/1": 304, "group/2": 237} {
		if n := seen[key]; n < want-60 || n > want+60 {
			t.Errorf("%s: %d of 1000, want about %d", key, n, want)
		}
	}
}

// TestEffectAndLengths: the trace's part ties its turns together, and a length has its own tables.
func TestEffectAndLengths(t *testing.T) {
	p, err := Read([]byte(`{"name":"x","turns":{"mixture":[{"weight":1,"zipf":{"exponent":0,"from":2,"count":1}},{"weight":1,"zipf":{"exponent":0,"from":9,"count":1}}]},
		"input":1,"assistant":{"lognormal":{"median":100,"sigma":1}},"tool":[{"from":0,"normal":{"mean":5,"sd":0}},{"from":1,"normal":{"mean":7,"sd":0}}],"wait":0,"final":2,
		"effect":{"assistant":1},"lengths":[{"to":2,"final":1}]}`), "")
	if err != nil {
		t.Fatal(err)
	}
	var trace shape.Trace
	lengths := map[int]int64{}
	for i := range 200 {
		p.Draw(shape.NewRandom([32]byte{byte(i)}), &trace)
		lengths[len(trace.Turns)] = trace.Final
		first := trace.Turns[0]
		if last := trace.Turns[len(trace.Turns)-1]; math.Abs(float64(first.Assistant-last.Assistant)) > 1+0.001*float64(first.Assistant) || first.Tool != 5 || last.Tool != 7 {
			t.Fatalf("turns %+v and %+v", first, last)
		}
	}
	if len(lengths) != 2 || lengths[2] != 1 || lengths[9] != 2 {
		t.Errorf("final answers by turns: %v", lengths)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(with("end", `{"context":200,"chance":0.5,"scaling":100}`)))
	f.Add([]byte(with("lengths", `[{"to":7,"tool":{"mixture":[{"weight":1,"zipf":{"exponent":1.1,"count":5}}]}}]`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Read(text, "")
		if err != nil {
			return
		}
		var trace shape.Trace
		p.Draw(shape.NewRandom([32]byte{}), &trace)
		if trace.Input < 1 || trace.Final < 1 {
			t.Errorf("%+v", trace)
		}
	})
}
