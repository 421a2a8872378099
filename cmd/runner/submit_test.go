package main

import (
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdFlipByte changes one byte of a file.
func cmdFlipByte(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 2, "flipbyte FILE OFFSET")
	file, at := ts.MkAbs(args[0]), number(ts, args[1])
	data, err := os.ReadFile(file)
	ts.Check(err)
	want(ts, at < len(data), "flipbyte FILE OFFSET, inside of the file")
	data[at] ^= 1
	ts.Check(os.WriteFile(file, data, 0o600))
}

// cmdFigure changes the number of issued turns in a result_summary.json.
func cmdFigure(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 1, "figure FILE")
	text := ts.ReadFile(args[0])
	changed := strings.Replace(text, `"n_samples_issued": 4,`, `"n_samples_issued": 99,`, 1)
	want(ts, changed != text, "figure FILE, with 4 issued turns")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(changed), 0o600))
}
