package coretest

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// Engines lists the serving engines whose replies are in testdata/engines, by the names of the files.
func Engines(t testing.TB) []string {
	t.Helper()
	entries, err := engines.ReadDir(engineDir)
	if err != nil {
		t.Fatalf("list engines: %v", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			names = append(names, name)
		}
	}
	return names
}

// LoadEngine is the script of a serving engine: what its server says to questions about itself, and to a request for one
// token. Where the file has several replies to one question they are given in turn, the last one from then on; what it has
// none for is not found.
func LoadEngine(t testing.TB, name string) *Script {
	t.Helper()
	var file struct {
		Replies []struct {
			Request string
			Status  int
			Headers map[string]string
			Body    string
		}
	}
	data, err := engines.ReadFile(path.Join(engineDir, name+".json"))
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		t.Fatalf("engine %q: %v", name, err)
	}
	script := &Script{}
	left := map[string]int{} // replies that are left, by question
	for _, r := range file.Replies {
		left[r.Request]++
	}
	for _, r := range file.Replies {
		reply := Reply{Status: r.Status, Body: []Step{{Data: []byte(r.Body)}}, Coding: WithLength, End: EndKeepAlive}
		for _, h := range slices.Sorted(maps.Keys(r.Headers)) {
			reply.Headers = append(reply.Headers, Header{h, r.Headers[h]})
		}
		left[r.Request]--
		reply.When = answers(r.Request, left[r.Request] > 0)
		script.Replies = append(script.Replies, reply)
	}
	script.Replies = append(script.Replies, errorReply(404, "Not Found"))
	return script
}

// answers chooses the requests with that method and path; only the first of them where others are to follow.
func answers(question string, first bool) func(*Request) bool {
	var given atomic.Bool
	return func(r *Request) bool {
		path, _, _ := strings.Cut(r.Target, "?")
		return r.Method+" "+path == question && (!first || given.CompareAndSwap(false, true))
	}
}

const engineDir = "testdata/engines"
