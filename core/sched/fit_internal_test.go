package sched

import (
	"slices"
	"testing"
)

// requests are the prompts of a sequence out of what each turn adds, with answers of so many tokens.
func requests(output int64, adds ...int64) extent {
	var x extent
	var sum int64
	for _, n := range adds {
		sum += n
		x.prompt, x.output = append(x.prompt, sum), append(x.output, output)
	}
	return x
}

func TestTrim(t *testing.T) {
	for name, tt := range map[string]struct {
		x    extent
		most int64
		want []int
	}{
		"it fits":                       {requests(10, 100, 50, 50), 1000, []int{0, 0, 0}},
		"cut to half, and then it goes": {requests(10, 100, 100, 100, 100, 100, 100, 100, 100), 600, []int{0, 0, 0, 0, 0, 4, 4, 4}},
		"twice":                         {requests(10, 100, 100, 100, 100, 100, 100, 100, 100, 100), 500, []int{0, 0, 0, 0, 3, 3, 3, 6, 6}},
		"half is out of reach":          {requests(10, 400, 50, 50, 50), 520, []int{0, 0, 0, 2}},
		"the first turn is too long":    {requests(10, 995, 1), 1000, nil},
		"what the last brings is":       {requests(10, 100, 50, 895), 1000, nil},
		"the second has nothing before": {requests(10, 100, 895), 1000, nil},
	} {
		left, tokens := tt.x.trim(tt.most)
		if !slices.Equal(left, tt.want) {
			t.Errorf("%s: %v, want %v", name, left, tt.want)
		}
		for i, d := range left {
			if tokens[i] != tt.x.prompt[d]-tt.x.prompt[0] {
				t.Errorf("%s: turn %d leaves out %d tokens", name, i, tokens[i])
			}
		}
	}
}

// FuzzTrim holds what is cut to what it promises, whatever the lengths.
func FuzzTrim(f *testing.F) {
	f.Add(int64(600), uint32(10), []byte{100, 100, 100, 100, 100, 100, 100})
	f.Add(int64(1), uint32(0), []byte{0})
	f.Add(int64(1<<40), uint32(1<<31), []byte{255, 1, 255})
	f.Fuzz(func(t *testing.T, most int64, output uint32, adds []byte) {
		var list []int64
		for _, b := range adds {
			list = append(list, int64(b)*int64(b))
		}
		x := requests(int64(output), list...)
		left, tokens := x.trim(most)
		for i := range left {
			if left[i] > max(i-1, 0) || i > 0 && left[i] < left[i-1] {
				t.Fatalf("turn %d leaves out %d turns, the one before it %v", i, left[i], left[:i])
			}
			if x.prompt[i]-tokens[i]+x.output[i] > most {
				t.Fatalf("turn %d needs %d tokens of %d", i, x.prompt[i]-tokens[i]+x.output[i], most)
			}
		}
	})
}
