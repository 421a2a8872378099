package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a serving engine that this package knows.
type Kind string

// The engines. Unknown is a target that tells of none.
const (
	Unknown  Kind = ""
	VLLM     Kind = "vllm"
	SGLang   Kind = "sglang"
	TRTLLM   Kind = "trtllm"
	LlamaCpp Kind = "llamacpp"
)

// Auto is the word for an engine that is to be found out.
const Auto = "auto"

// Kinds lists the known engines, in the order in which they are shown.
func Kinds() []Kind { return []Kind{VLLM, SGLang, TRTLLM, LlamaCpp} }

// Title is the engine's own spelling of its name.
func (k Kind) Title() string {
	switch k {
	case VLLM:
		return "vLLM"
	case SGLang:
		return "SGLang"
	case TRTLLM:
		return "TensorRT-LLM"
	case LlamaCpp:
		return "llama.cpp"
	case Unknown:
	}
	return "not known"
}

// Words lists what an engine may be named by: auto and the kinds.
func Words() []string {
	words := []string{Auto}
	for _, k := range Kinds() {
		words = append(words, string(k))
	}
	return words
}

// ParseKind reads one of Words; auto and an empty text are Unknown.
func ParseKind(text string) (Kind, error) {
	if text == "" || text == Auto {
		return Unknown, nil
	}
	if k := Kind(text); slices.Contains(Kinds(), k) {
		return k, nil
	}
	return Unknown, fmt.Errorf("engine %q is unknown; want one of %s", text, strings.Join(Words(), ", "))
}

// Program is a server program of an engine.
type Program string

// The programs. llama.cpp has two that differ in what they tell: its own, and the one of its Python binding.
const (
	VLLMServe    Program = "vllm serve"
	SGLangServer Program = "sglang serve"
	TRTLLMServe  Program = "trtllm-serve"
	LlamaServer  Program = "llama-server"
	LlamaPython  Program = "llama_cpp.server"
)

// program is the one that an engine is taken to be served by where nothing tells.
func (k Kind) program() Program {
	switch k {
	case VLLM:
		return VLLMServe
	case SGLang:
		return SGLangServer
	case TRTLLM:
		return TRTLLMServe
	case LlamaCpp:
		return LlamaServer
	case Unknown:
	}
	return ""
}
