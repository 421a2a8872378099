package frame

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// foreign are kinds of files that hold no JSON as they are, by their first bytes.
var foreign = [...]struct{ begin, kind, remedy string }{
	{"\x1f\x8b", "compressed by gzip", "the text itself: gzip -dc FILE > FILE.jsonl"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd", "the text itself: zstd -dc FILE > FILE.jsonl"},
	{"\xfd7zXZ\x00", "compressed by xz", "the text itself: xz -dc FILE > FILE.jsonl"},
	{"BZh", "compressed by bzip2", "the text itself: bzip2 -dc FILE > FILE.jsonl"},
	{"PK\x03\x04", "a zip archive", "one file of those in it: unzip FILE"},
	{"PAR1", "a Parquet table", "JSON Lines: duckdb -c \"copy (from 'FILE') to 'FILE.jsonl' (format json)\""},
	{"SQLite format 3\x00", "an SQLite database", "JSON Lines: duckdb or sqlite3 with -json write them"},
	{"\xff\xfe", "in UTF-16", "UTF-8: iconv -f UTF-16 -t UTF-8 FILE > FILE.jsonl"},
	{"\xfe\xff", "in UTF-16", "UTF-8: iconv -f UTF-16 -t UTF-8 FILE > FILE.jsonl"},
}

// textual refuses files that are of another kind than text. A file that cannot be read says so later.
func textual(r io.ReaderAt, size int64) error {
	head := make([]byte, min(size, 16))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil
	}
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.begin)) {
			return sdk.Faults{{
				Input: Input, Code: "file-kind", Message: "the file is " + f.kind + "; records are read by their places in plain text",
				Expected: f.remedy,
			}}
		}
	}
	return nil
}

// seenMembers is how many members of a record are named.
const seenMembers = 12

// seen tells what a file has at its beginning, for somebody who does not know why it is not taken.
func seen(r io.ReaderAt, size int64) string {
	told := ""
	err := walk(r, min(size, MaxRecord), []string{"", "*"}, func(p placed) bool {
		if p.fault != nil {
			told = "it is no JSON: " + p.fault.Error()
			return false
		}
		told = describe(p.record.Value)
		return false
	})
	if err != nil || told == "" {
		return "it is empty"
	}
	return told
}

func describe(v rawjson.Value) string {
	if v.Kind() != rawjson.Object {
		return "its first record is " + Clip(v)
	}
	var names []string
	more := 0
	v.Fields(func(key []byte, _ rawjson.Value) {
		if len(names) == seenMembers {
			more++
			return
		}
		names = append(names, short(string(key)))
	})
	switch {
	case len(names) == 0:
		return "its first record is an empty object"
	case more > 0:
		return fmt.Sprintf("its first record has the members %s and %d more", strings.Join(names, ", "), more)
	}
	return "its first record has the members " + strings.Join(names, ", ")
}

// maxName is the longest name of a field that is told whole.
const maxName = 60

func short(name string) string {
	if len(name) <= maxName {
		return name
	}
	n := maxName
	for n > 0 && !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n] + "~"
}
