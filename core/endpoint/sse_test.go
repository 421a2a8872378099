package endpoint

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pieces gives the events of a stream that comes in pieces of n bytes.
func pieces(p *events, stream []byte, n int) (list []string) {
	for len(stream) > 0 {
		piece := bytes.Clone(stream[:min(n, len(stream))])
		stream = stream[len(piece):]
		for rest := piece; len(rest) > 0; {
			event, used, ok := p.next(rest)
			if ok {
				list = append(list, string(event))
			}
			rest = rest[used:]
		}
		clear(piece) // what was kept of it would show
	}
	return list
}

func TestEvents(t *testing.T) {
	for name, tt := range map[string]struct {
		stream string
		want   []string
	}{
		"LF, CR, CRLF":        {"data: a\n\ndata: b\r\rdata: c\r\n\r\ndata: d\r\n\ndata: e\n\r", []string{"a", "b", "c", "d", "e"}},
		"blanks":              {"data:a\n\ndata:  b \n\ndata:\tc\n\n", []string{"a", " b ", "\tc"}},
		"comments":            {": x\n\n:\n\ndata: a\n: inside\n\n", []string{"a"}},
		"blocks without data": {"retry: 5\n\nid: 1\n\nevent: ping\n\n\n\ndata: a\n\n", []string{"a"}},
		"several lines":       {"data: {\ndata:\ndata\ndata:  }\n\n", []string{"{\n\n\n }"}},
		"empty data":          {"data\n\ndata:\n\ndata: a\n\n", []string{"", "", "a"}},
		"byte order mark":     {"\xef\xbb\xbfdata: a\n\ndata: \xef\xbb\xbfb\n\n", []string{"a", "\xef\xbb\xbfb"}},
		"unknown fields":      {"datas: x\n data: y\ndata : z\nfoo\ndata: a\n\n", []string{"a"}},
		"no blank at the end": {"data: a\n\ndata: b\n", []string{"a"}},
		"odd line breaks":     {"data: a\u0085b\u2028c\x0bd\n\n", []string{"a\u0085b\u2028c\x0bd"}},
		"long":                {"data: " + strings.Repeat("x", 200000) + "\n\ndata: y\n\n", []string{strings.Repeat("x", 200000), "y"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 7, 1 << 20} {
				var p events
				if d := cmp.Diff(tt.want, pieces(&p, []byte(tt.stream), n)); d != "" {
					t.Errorf("in pieces of %d (-want +got):\n%s", n, d)
				}
			}
		})
	}
}

func TestEventsName(t *testing.T) {
	var p events
	stream := []byte("event: error\ndata: a\n\ndata: b\n\nevent: error\n\ndata: c\n\n")
	var got []bool
	for len(stream) > 0 {
		_, used, ok := p.next(stream)
		if ok {
			got = append(got, p.last)
		}
		stream = stream[used:]
	}
	if d := cmp.Diff([]bool{true, false, false}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestEventsAtOnce holds the exact instant at which an event ends: with the CR of its blank line, before the LF came.
func TestEventsAtOnce(t *testing.T) {
	var p events
	if got := pieces(&p, []byte("data: a\r\n\r"), 100); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	if got := pieces(&p, []byte("\ndata: b\n\n"), 100); len(got) != 1 || got[0] != "b" {
		t.Errorf("got %q", got)
	}
}

func TestEventsAllocate(t *testing.T) {
	stream := []byte("data: " + vllmChunk + "\n\n")
	var p events
	if n := testing.AllocsPerRun(100, func() { p.next(stream) }); n != 0 {
		t.Errorf("an event allocates %v times", n)
	}
}

func BenchmarkEvents(b *testing.B) {
	stream := []byte("data: " + vllmChunk + "\n\n")
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	var p events
	for b.Loop() {
		p.next(stream)
	}
}

// FuzzEvents holds that the cuts of a stream do not matter, and compares with rules told over whole lines.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\ndata:b\rdata\n\n: c\n\n\xef\xbb\xbf"), uint8(3))
	f.Add([]byte("\xef\xbb\xbfdata: a\n\r\ndata\r\r\r\n"), uint8(1))
	f.Fuzz(func(t *testing.T, stream []byte, n uint8) {
		want := wholeEvents(stream)
		for _, n := range []int{int(n) + 1, len(stream) + 1} {
			var p events
			if d := cmp.Diff(want, pieces(&p, stream, n)); d != "" {
				t.Errorf("%q in pieces of %d (-want +got):\n%s", stream, n, d)
			}
		}
	})
}

func wholeEvents(stream []byte) (list []string) {
	s := strings.TrimPrefix(string(stream), "\xef\xbb\xbf")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(s, "\n")
	var data []string
	for _, line := range lines[:len(lines)-1] {
		name, value, _ := strings.Cut(line, ":")
		switch {
		case line == "" && data != nil:
			list = append(list, strings.Join(data, "\n"))
			data = nil
		case name == "data":
			data = append(data, strings.TrimPrefix(value, " "))
		}
	}
	return list
}
