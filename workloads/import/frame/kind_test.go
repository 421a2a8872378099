package frame

import (
	"strings"
	"testing"
)

// TestKinds refuses files that are no text, with what to do.
func TestKinds(t *testing.T) {
	for text, want := range map[string]string{
		"\x1f\x8b\x08\x00":     "compressed by gzip",
		"\x28\xb5\x2f\xfd\x00": "compressed by zstd",
		"PK\x03\x04\x00":       "a zip archive",
		"PAR1\x00":             "Parquet",
		"\xff\xfe{\x00":        "in UTF-16",
		"\xef\xbb\xbf{\"trace\":\"a\",\"text\":1}\r\n\r\n":      "",
		"{\"trace\":\"a\",\"text\":1}\r\n{\"trace\":\"a\",\"te": "the JSON breaks off here: a string has no end",
		"": "holds no trace",
	} {
		_, err := try(t, text, "")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestSeen(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "it is empty",
		"a,b\n1,2\n":          "it is no JSON: line 1",
		`{"a":1,"b":{"c":2}}`: "its first record has the members a, b",
		`[{"x":1},{"y":1}]`:   "its first record has the members x",
		`{}`:                  "its first record is an empty object",
		`[7]`:                 "its first record is 7",
		"{" + strings.Repeat(`"k":1,`, 14) + `"z":2}`: "k, k and 3 more",
		`{"` + strings.Repeat("é", 40) + `":1}`:       "the members " + strings.Repeat("é", 30) + "~",
	} {
		if got := seen(strings.NewReader(text), int64(len(text))); !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestDetectAll(t *testing.T) {
	other := format()
	other.Name = "other"
	text := "{\"trace\":\"a\",\"text\":1}\n"
	found, err := Detect([]Format{format(), other}, strings.NewReader(text), int64(len(text)))
	if err != nil || len(found) != 2 || found[0].Name != "rows" || found[1].Name != "other" {
		t.Errorf("%+v, %v", found, err)
	}
}
