// Command generate writes the demo data set, the same bytes each time:
//
//	go run ./workloads/mlperf/demo/generate workloads/mlperf/demo/demo.jsonl
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	text, err := generate()
	if err == nil {
		err = os.WriteFile(os.Args[1], text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generate makes the whole data set: both domains in turn, so that any few users play both.
func generate() ([]byte, error) {
	r := rand.New(rand.NewPCG(20261129, 1))
	var out bytes.Buffer
	for i := range max(len(tasks), len(customers)) {
		if i < len(tasks) {
			if err := write(&out, coding(r, tasks[i])); err != nil {
				return nil, err
			}
		}
		if i < len(customers) {
			if err := write(&out, workflow(r, i, customers[i])); err != nil {
				return nil, err
			}
		}
	}
	return out.Bytes(), nil
}

// row is one line of the data set, in the order of its keys.
type row struct {
	ID          string   `json:"conversation_id"`
	Turn        int      `json:"turn"`
	Role        string   `json:"role"`
	System      string   `json:"system,omitempty"`
	Tools       []tool   `json:"tools,omitempty"`
	Content     string   `json:"content,omitempty"`
	Reasoning   string   `json:"reasoning_content,omitempty"`
	ToolCalls   []call   `json:"tool_calls,omitempty"`
	ToolResults []result `json:"tool_results,omitempty"`
	IntentCodes []string `json:"intent_codes,omitempty"`
	Delay       float64  `json:"delay_seconds,omitempty"`
	MaxTokens   int      `json:"max_completion_tokens,omitempty"`
}

type tool struct {
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type result struct {
	ToolCallID string `json:"tool_call_id"`
	Content    string `json:"content"`
}

// write appends rows as lines and numbers their turns. The first row carries what the whole conversation shares.
func write(out *bytes.Buffer, rows []row) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	rows[0].System, rows[0].Tools, rows[0].MaxTokens = system, tools(), 256
	for i := range rows {
		rows[i].ID, rows[i].Turn = rows[0].ID, i+1
		if err := encoder.Encode(&rows[i]); err != nil {
			return fmt.Errorf("write turn %d of %s: %w", i+1, rows[0].ID, err)
		}
	}
	return nil
}

// pause draws a delay of 10 to 60 ms in whole milliseconds.
func pause(r *rand.Rand) float64 { return float64(10+r.IntN(51)) / 1000 }

// pick draws one of a list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
