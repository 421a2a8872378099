package lines_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"paceline/sdk/lines"
)

// scan tells each line as "number@offset text".
func scan(t testing.TB, s *lines.Scanner) []string {
	t.Helper()
	var got []string
	for s.Scan() {
		got = append(got, fmt.Sprintf("%d@%d %s", s.Line(), s.Offset(), s.Bytes()))
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestScan(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"empty":              {"", nil},
		"blank lines alone":  {"\n \n\t\r\n", nil},
		"with last newline":  {"a\nb\n", []string{"1@0 a", "2@2 b"}},
		"without":            {"a\nb", []string{"1@0 a", "2@2 b"}},
		"crlf":               {"a\r\nb\r\n", []string{"1@0 a", "2@3 b"}},
		"cr within":          {"a\rb\n", []string{"1@0 a\rb"}},
		"blank between":      {"a\n\n  \nb", []string{"1@0 a", "4@6 b"}},
		"byte order mark":    {"\xEF\xBB\xBFa\nb", []string{"1@3 a", "2@5 b"}},
		"mark alone":         {"\xEF\xBB\xBF\nb", []string{"2@4 b"}},
		"mark later is text": {"a\n\xEF\xBB\xBFb", []string{"1@0 a", "2@2 \xEF\xBB\xBFb"}},
		"spaces are kept":    {" a \n", []string{"1@0  a "}},
	} {
		t.Run(name, func(t *testing.T) {
			got := scan(t, lines.New(strings.NewReader(c.text), int64(len(c.text))))
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLinesBeyondTheBuffer(t *testing.T) {
	long := strings.Repeat("x", 700<<10)
	text := "a\n" + long + "\nb\n" + long
	got := scan(t, lines.New(strings.NewReader(text), int64(len(text))))
	want := []string{"1@0 a", "2@2 " + long, "3@716803 b", "4@716805 " + long}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d lines differ from the %d wanted", len(got), len(want))
	}
}

func TestResume(t *testing.T) {
	text := "first\n\nsecond\r\nthird\n"
	s := lines.New(strings.NewReader(text), int64(len(text)))
	s.Scan()
	s.Scan()
	offset, line := s.Next(), s.Line()
	other := lines.New(strings.NewReader(text), int64(len(text)))
	other.Resume(offset, line)
	if got, want := scan(t, other), []string{"4@15 third"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrors(t *testing.T) {
	long := "a\n" + strings.Repeat("x", 100)
	s := lines.New(strings.NewReader(long), int64(len(long)))
	s.MaxLine = 99
	for s.Scan() {
	}
	if err := s.Err(); !errors.Is(err, lines.ErrTooLong) || err.Error() != "line 2: line too long" {
		t.Errorf("got %v, want line 2 too long", err)
	}
	short := lines.New(strings.NewReader("ab"), 10)
	for short.Scan() {
	}
	if err := short.Err(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want an unexpected end", err)
	}
}

func FuzzScan(f *testing.F) {
	f.Add("a\r\n\nb\xEF\xBB\xBF\n c")
	f.Add("\xEF\xBB\xBF{}\n")
	f.Fuzz(func(t *testing.T, text string) {
		var want []string
		number, offset := 0, 0
		for part := range strings.SplitAfterSeq(text, "\n") {
			number++
			line, at := strings.TrimSuffix(strings.TrimSuffix(part, "\n"), "\r"), offset
			if cut, ok := strings.CutPrefix(line, "\xEF\xBB\xBF"); ok && offset == 0 {
				line, at = cut, 3
			}
			if strings.Trim(line, " \t\r") != "" {
				want = append(want, fmt.Sprintf("%d@%d %s", number, at, line))
			}
			offset += len(part)
		}
		got := scan(t, lines.New(strings.NewReader(text), int64(len(text))))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	text := bytes.Repeat([]byte(strings.Repeat("x", 500)+"\n"), 20_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := lines.New(bytes.NewReader(text), int64(len(text)))
		for s.Scan() {
		}
	}
}
