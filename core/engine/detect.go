package engine

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Detection is what a target was found to be.
type Detection struct {
	Kind    Kind     `json:"kind"`
	Program Program  `json:"program,omitempty"`
	Version string   `json:"version,omitempty"`
	By      []string `json:"by,omitempty"` // what told it, the strongest first
}

// sign is something that tells an engine. says returns what was seen, empty where it was not.
type sign struct {
	kind    Kind
	program Program
	says    func(Facts) string
}

// signs are tried in order; the first that was seen decides, and those that agree are told too.
var signs = []sign{
	{VLLM, VLLMServe, ownedBy("vllm")},
	{SGLang, SGLangServer, ownedBy("sglang")},
	{TRTLLM, TRTLLMServe, ownedBy("tensorrt_llm")},
	{LlamaCpp, LlamaServer, ownedBy("llamacpp")},
	{LlamaCpp, LlamaPython, pythonModels},
	{LlamaCpp, LlamaServer, serverHeader("llama.cpp")},
	{LlamaCpp, LlamaServer, members(PropsPage, "default_generation_settings", "total_slots")},
	{SGLang, SGLangServer, members(InfoPage, "tp_size", "enable_cache_report")},
	{SGLang, SGLangServer, members(OldInfoPage, "tp_size", "enable_cache_report")},
	{VLLM, VLLMServe, metric("vllm:")},
	{SGLang, SGLangServer, metric("sglang:")},
	{LlamaCpp, LlamaServer, metric("llamacpp:")},
}

// simulated is what `runner sim` says in its list of models. It has pages of several engines and is none of them.
var simulated = ownedBy("paceline")

// Detect tells the engine by what its pages say of it.
func Detect(f Facts) Detection {
	if seen := simulated(f); seen != "" {
		return Detection{Version: version(f, Unknown), By: []string{seen + ": the simulated engine"}}
	}
	var d Detection
	for _, s := range signs {
		seen := s.says(f)
		if seen == "" {
			continue
		}
		if d.Kind == Unknown {
			d.Kind, d.Program = s.kind, s.program
		}
		if d.Kind == s.kind && d.Program == s.program {
			d.By = append(d.By, seen)
		}
	}
	d.Version = version(f, d.Kind)
	return d
}

// Identify is Detect for a target that is said to be served by an engine. What the target tells goes before what is said of it.
func Identify(f Facts, named Kind) Detection {
	d := Detect(f)
	if d.Kind == Unknown && named != Unknown {
		d = Detection{Kind: named, Program: named.program(), Version: version(f, named), By: []string{"--engine", "the target tells none"}}
	}
	return d
}

// version is what the engine tells of its own.
func version(f Facts, k Kind) string {
	switch k {
	case SGLang:
		if v := text(f.page(InfoPage).object(), "version"); v != "" {
			return v
		}
		return text(f.page(OldInfoPage).object(), "version")
	case LlamaCpp:
		return text(f.page(PropsPage).object(), "build_info")
	case VLLM, TRTLLM, Unknown:
	}
	return text(f.page(VersionPage).object(), "version")
}

// listed are the entries of the list of models.
func listed(f Facts) []object {
	var list []object
	if json.Unmarshal(f.page(ModelsPage).object()["data"], &list) != nil {
		return nil
	}
	return list
}

func ownedBy(name string) func(Facts) string {
	return func(f Facts) string {
		for _, m := range listed(f) {
			if text(m, "owned_by") == name {
				return ModelsPage + " owned_by " + name
			}
		}
		return ""
	}
}

// pythonModels knows the list of llama.cpp's Python server, which tells no name: its owner is "me", and it alone spells
// "permissions" so.
func pythonModels(f Facts) string {
	for _, m := range listed(f) {
		if text(m, "owned_by") == "me" && m["permissions"] != nil {
			return ModelsPage + " owned_by me, permissions"
		}
	}
	return ""
}

func serverHeader(word string) func(Facts) string {
	return func(f Facts) string {
		for i := range f {
			if strings.Contains(strings.ToLower(f[i].header("Server")), word) {
				return "header Server: " + word
			}
		}
		return ""
	}
}

func members(page string, keys ...string) func(Facts) string {
	return func(f Facts) string {
		o := f.page(page).object()
		for _, k := range keys {
			if o[k] == nil {
				return ""
			}
		}
		return page + " " + strings.Join(keys, ", ")
	}
}

// metric sees a metric whose name begins so.
func metric(prefix string) func(Facts) string {
	return func(f Facts) string {
		p := f.page(MetricsPage)
		if p == nil || !f.found(MetricsPage) {
			return ""
		}
		if bytes.HasPrefix(p.Body, []byte(prefix)) || bytes.Contains(p.Body, []byte("\n"+prefix)) {
			return MetricsPage + " " + prefix
		}
		return ""
	}
}
