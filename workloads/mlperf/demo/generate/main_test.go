package main

import (
	"bytes"
	"testing"

	"paceline/workloads/mlperf/dataset"
	"paceline/workloads/mlperf/demo"
	"paceline/workloads/mlperf/domain"
)

func TestShippedFileIsTheGeneratedOne(t *testing.T) {
	text, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != demo.Dataset() {
		t.Error("demo.jsonl is not what generate writes; run go generate in workloads/mlperf/demo")
	}
}

func TestDataSet(t *testing.T) {
	text := []byte(demo.Dataset())
	src := bytes.NewReader(text)
	index, err := dataset.Scan(src, src.Size())
	if err != nil {
		t.Fatal(err)
	}
	faults, err := dataset.CheckAll(src, src.Size(), index)
	if err != nil || len(faults) > 0 {
		t.Fatalf("%+v, %v", faults, err)
	}
	domains := map[string]int{}
	delays := 0
	for _, e := range index.Entries {
		domains[domain.Of(e.ID)]++
		rows, err := dataset.Rows(src, e)
		if err != nil {
			t.Fatal(err)
		}
		turns := 0
		for i := range rows {
			if rows[i].IsClient() {
				turns++
			}
			if ns, _ := rows[i].DelayNS(); ns > 0 {
				delays++
			}
		}
		if turns < 4 || turns > 10 {
			t.Errorf("%s has %d client turns", e.ID, turns)
		}
	}
	if domains[domain.Coding] != 12 || domains[domain.Workflow] != 12 || delays == 0 {
		t.Errorf("domains %v, %d delays", domains, delays)
	}
	if size := len(text); size < 100_000 || size > 200_000 {
		t.Errorf("%d bytes", size)
	}
}
