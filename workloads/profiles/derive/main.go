package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"paceline/workloads/profiles/strata"
)

func main() {
	out := flag.String("out", "", "file to write")
	flag.Parse()
	if flag.NArg() != 1 || *out == "" {
		fmt.Fprintln(os.Stderr, "usage: derive -out FILE TRACES")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *out); err != nil {
		fmt.Fprintln(os.Stderr, "derive:", err)
		os.Exit(1)
	}
}

func run(in, out string) error {
	file, err := os.Open(in)
	if err != nil {
		return err
	}
	defer file.Close()
	rows, err := read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	m, err := fit(rows)
	if err != nil {
		return err
	}
	text, err := write(m)
	if err != nil {
		return err
	}
	fmt.Printf("%d numbers for the %d of the file\n", m.Size(), rows.numbers())
	return os.WriteFile(out, text, 0o644)
}

// write writes a model, one list a line.
func write(m *strata.Model) ([]byte, error) {
	flat, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var lists map[string]json.RawMessage
	if err := json.Unmarshal(flat, &lists); err != nil {
		return nil, err
	}
	out := []byte("{\n")
	for i, name := range strata.Lists {
		if i > 0 {
			out = append(out, ",\n"...)
		}
		out = fmt.Appendf(out, "%q:%s", name, lists[name])
	}
	return append(out, "\n}\n"...), nil
}
