package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paceline/sdk/sdktest"
	"paceline/workloads/import/frame"
)

// lossy are files with what the files that formats are tested with do not lose.
var lossy = map[string][]string{
	"mlperf":   {`{"conversation_id":"c","turn":1,"role":"user","content":"a","stream":true}` + "\n" + `{"conversation_id":"c","turn":2,"role":"assistant","content":"b"}`},
	"mooncake": {`{"timestamp":1,"input_length":5,"output_length":2,"hash_ids":[1],"extra":{"x":1}}`},
	"weka": {`{"id":"w","block_size":64,"requests":[{"in":1,"out":1},` + strings.Repeat(`{"type":"subagent","requests":[{"in":1,"out":1},`, 9) + `{"in":1,"out":1}` +
		strings.Repeat("]}", 9) + "]}"},
	"atif": {`{"schema_version":"ATIF-v1.8","session_id":"s","agent":{"name":"a"},"notes":"n","continued_trajectory_ref":"next.json","steps":[` +
		`{"step_id":1,"source":"user","message":[{"type":"text","text":"a"},{"type":"image","source":{}}]},` +
		`{"step_id":2,"source":"agent","message":"b","is_copied_context":true},{"step_id":3,"source":"user","message":"c"},` +
		`{"step_id":4,"source":"agent","message":"d","llm_call_count":2}]}`},
	"mini-swe-agent": {`{"info":{},"trajectory_format":"mini-swe-agent-1.1","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},` +
		`{"role":"user","content":"c"},{"role":"assistant","content":"d"}]}`},
	"claude-code": {`{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"a"}}` + "\n" +
		`{"type":"user","uuid":"v","parentUuid":"u","sessionId":"s","message":{"role":"user","content":"b"}}` + "\n" +
		`{"type":"assistant","uuid":"w","parentUuid":"v","sessionId":"s","message":{"id":"m","content":"c"}}`},
	"langfuse": {`{"id":"g","traceId":"t","type":"GENERATION","startTime":"2026-01-02T03:04:05Z","input":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"}]}],"output":"b"}`},
	"openinference": {`{"trace_id":"t","span_id":"a","attributes":{"openinference.span.kind":"LLM","llm.token_count.prompt":5}}` + "\n" +
		`{"trace_id":"t","span_id":"b","attributes":{"openinference.span.kind":"LLM"}}`},
	"otel": {`{"trace_id":"t","span_id":"a","attributes":{"gen_ai.operation.name":"chat"}}` + "\n" +
		`{"trace_id":"t","span_id":"b","attributes":{"gen_ai.operation.name":"chat","gen_ai.request.stream":true,"gen_ai.request.choice.count":2,` +
		`"gen_ai.input.messages":[{"role":"user","parts":[{"type":"text","content":"a"},{"type":"blob"}]}]}}`},
	"openai": {`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"response":{}}`},
}

// TestEveryLossIsCounted meets every loss that a format documents, in its golden files or in what is made for that.
func TestEveryLossIsCounted(t *testing.T) {
	met := map[string]string{} // format -> all losses of its files
	golden, err := filepath.Glob("*/testdata/*.golden")
	if err != nil || len(golden) < 12 {
		t.Fatalf("%d golden files, %v", len(golden), err)
	}
	for _, file := range golden {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		met[formatOf(file)] += string(text)
	}
	for format, texts := range lossy {
		for _, text := range texts {
			c := sdktest.Open(t, &plugin, format, sdktest.Options{Inputs: []sdktest.Input{{Name: frame.Input, Data: []byte(text + "\n")}}})
			for _, loss := range c.Opened.Losses {
				met[format] += "# lost: " + loss + "\n"
			}
		}
	}
	for _, f := range formats() {
		for _, loss := range f.Losses {
			if !strings.Contains(met[f.Name], "# lost: "+loss.Text+": ") {
				t.Errorf("%s: no file loses %q (%s)", f.Name, loss.Text, loss.Code)
			}
		}
	}
}
