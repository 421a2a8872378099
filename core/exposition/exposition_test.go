package exposition

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

const page = `# HELP vllm:x Help with {braces} and "quotes".
# TYPE vllm:x counter
vllm:x{model_name="a\"}b\\c\nd",engine="0"} 1.5e+03
vllm:y 3 1690000000000
  sglang:z { rank = "1" , } 2 # {trace_id="q"} 1
vllm:nan NaN
vllm:inf{} +Inf

no value
{"quoted.name"} 1
vllm:open{a="b 1
9digit 1
vllm:word x
`

func TestEach(t *testing.T) {
	var got []string
	bad := Each([]byte(page), func(s *Series) {
		model, _ := s.Label("model_name")
		engine, ok := s.Label("engine")
		rank, _ := s.Label("rank")
		got = append(got, fmt.Sprintf("%s %v %q %q %v %q", s.Name, s.Value, model, engine, ok, rank))
	})
	want := []string{
		`vllm:x 1500 "a\"}b\\c\nd" "0" true ""`,
		`vllm:y 3 "" "" false ""`,
		`sglang:z 2 "" "" false "1"`,
		`vllm:nan NaN "" "" false ""`,
		`vllm:inf +Inf "" "" false ""`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if bad != 5 {
		t.Errorf("%d malformed lines, want 5", bad)
	}
}

func TestLongLine(t *testing.T) {
	text := "a{b=\"" + strings.Repeat("x", maxLine) + "\"} 1\nc 2"
	n := 0
	if bad := Each([]byte(text), func(*Series) { n++ }); bad != 1 || n != 1 {
		t.Errorf("%d series and %d malformed lines", n, bad)
	}
}

// FuzzEach: whatever stands there, names are names and every line counts at most once.
func FuzzEach(f *testing.F) {
	f.Add([]byte(page))
	f.Add([]byte("a{b=\"\\"))
	f.Add([]byte("a{b=,c=\"d\"} 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n := 0
		bad := Each(text, func(s *Series) {
			n++
			if len(s.Name) == 0 || strings.ContainsAny(string(s.Name), " \t\n{}\"") {
				t.Errorf("name %q", s.Name)
			}
			if v, ok := s.Label("b"); !ok && v != "" {
				t.Errorf("label %q of a series without it", v)
			}
			_ = math.IsNaN(s.Value)
		})
		if lines := strings.Count(string(text), "\n") + 1; n+bad > lines {
			t.Errorf("%d series and %d others in %d lines", n, bad, lines)
		}
	})
}
