package endpoint_test

import (
	"testing"

	"paceline/core/endpoint"
)

func TestModelContext(t *testing.T) {
	for body, want := range map[string]int64{
		`{"data":[{"id":"a","max_model_len":4096},{"id":"m","max_model_len":32768}]}`: 32768,
		`{"data":[{"id":"m"}]}`:                           0,
		`{"data":[{"id":"m","max_model_len":null}]}`:      0,
		`{"data":[{"id":"m","max_model_len":"32768"}]}`:   0,
		`{"data":[{"id":"m","max_model_len":-1}]}`:        0,
		`{"data":[{"id":"m","max_model_len":1e400}]}`:     0,
		`{"data":[{"id":"other","max_model_len":32768}]}`: 0,
		`<html>`: 0,
	} {
		got, ok := endpoint.ModelContext(&endpoint.Reply{Status: 200, Body: []byte(body)}, "m")
		if got != want || ok != (want > 0) {
			t.Errorf("%s: %d %v, want %d", body, got, ok, want)
		}
	}
	if _, ok := endpoint.ModelContext(&endpoint.Reply{Status: 404}, "m"); ok {
		t.Error("a list that is not there tells a context")
	}
	if _, ok := endpoint.ModelContext(nil, "m"); ok {
		t.Error("a list that nobody asked for tells a context")
	}
}
