package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"paceline/core/verdict"
)

// Told is one thing that a target told of itself: a name, and JSON.
type Told struct{ Name, Value string }

// settled are what of a page of the engines is fixed when the server starts, by the name of the probe that asks for the page.
var settled = map[string][]string{
	"version": {"version"},
	"server_info": {"model_path", "served_model_name", "version", "dtype", "quantization", "kv_cache_dtype", "context_length", "tp_size", "dp_size", "pp_size",
		"ep_size", "max_running_requests", "chunked_prefill_size", "attention_backend", "reasoning_parser", "tool_call_parser", "disable_radix_cache",
		"speculative_algorithm", "speculative_num_steps", "speculative_draft_model_path", "speculative_num_draft_tokens"},
	"props": {"model_path", "build_info", "chat_template", "total_slots"},
}

// pages are the probes that tell, in order. std/checks/identity names them.
var pages = []string{"models", "version", "server_info", "props"}

// EngineVersion is how Identity names the version of the serving engine.
const EngineVersion = "version.version"

// Identity is what a target told of itself before the load, as far as it is fixed when the server starts: versions, the
// served model, and the server's switches.
func Identity(facts []verdict.Fact, model string) []Told {
	var list []Told
	for _, page := range pages {
		for i := range facts {
			if facts[i].Probe == "identity/"+page+"/before" && facts[i].Status == 200 {
				list = append(list, told(page, facts[i].Body, model)...)
			}
		}
	}
	return list
}

func told(page string, body []byte, model string) []Told {
	if page == "models" {
		return served(body, model)
	}
	var doc map[string]json.RawMessage
	if json.Unmarshal(body, &doc) != nil {
		return nil
	}
	var list []Told
	for _, key := range settled[page] {
		if v, ok := doc[key]; ok {
			list = append(list, Told{page + "." + key, compact(v)})
		}
	}
	return list
}

// served is what the list of models says of the one that was asked.
func served(body []byte, model string) []Told {
	var doc struct {
		Data []struct {
			ID     string          `json:"id"`
			Root   json.RawMessage `json:"root"`
			Length json.RawMessage `json:"max_model_len"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &doc) != nil {
		return nil
	}
	for _, m := range doc.Data {
		if m.ID != model {
			continue
		}
		list := []Told{{"models.id", compact([]byte(fmt.Sprintf("%q", m.ID)))}}
		for _, x := range []struct {
			name  string
			value json.RawMessage
		}{{"models.root", m.Root}, {"models.max_model_len", m.Length}} {
			if len(x.value) > 0 {
				list = append(list, Told{x.name, compact(x.value)})
			}
		}
		return list
	}
	return nil
}

// compact is a JSON text without white space, short enough for a message.
func compact(raw []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return strings.ToValidUTF8(string(raw), "?")
	}
	return b.String()
}

// Differences tells what two targets told differently, of what both told.
func Differences(was, is []Told) []string {
	before := map[string]string{}
	for _, x := range was {
		before[x.Name] = x.Value
	}
	var list []string
	for _, x := range is {
		if v, ok := before[x.Name]; ok && v != x.Value {
			list = append(list, fmt.Sprintf("%s was %s and is %s", x.Name, short(v), short(x.Value)))
		}
	}
	return list
}

func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// Facts are those that the run's target told.
func (r *Run) Facts() []verdict.Fact {
	list := make([]verdict.Fact, 0, len(r.Journal.Facts))
	for i := range r.Journal.Facts {
		list = append(list, r.Journal.Facts[i].Fact)
	}
	return list
}
