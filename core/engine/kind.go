package engine

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

// Kinds lists the known engines, in the order in which they are shown.
func Kinds() []Kind { return []Kind{VLLM, SGLang, TRTLLM, LlamaCpp} }
