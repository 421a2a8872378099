// Command gen measures a file of traces and writes its summary as package reference keeps it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"paceline/profile/measure"
	"paceline/profile/rows"
)

func main() {
	out := flag.String("out", "", "file to write")
	flag.Parse()
	if flag.NArg() != 1 || *out == "" {
		fmt.Fprintln(os.Stderr, "usage: gen -out FILE TRACES")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(in, out string) error {
	f, err := os.Open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	var c measure.Collector
	if _, err := rows.Read(f, c.Add); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	text, err := json.MarshalIndent(c.Summary(), "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}
