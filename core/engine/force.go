package engine

import (
	"encoding/json"
	"fmt"
)

// Simulated is the simulated engine of this project. It takes vLLM's switches. It is no serving engine, so that it is not
// among Kinds.
const Simulated Kind = "simulated"

// owners are what engines write as the owner of the models that they list.
var owners = map[string]Kind{
	"vllm": VLLM, "sglang": SGLang, "tensorrt_llm": TRTLLM, "llamacpp": LlamaCpp, "paceline": Simulated,
}

// OfModels tells the engine by its answer to GET /v1/models; Unknown where that names none of the known ones.
func OfModels(body []byte) Kind {
	var list struct {
		Data []struct {
			OwnedBy string `json:"owned_by"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil || len(list.Data) == 0 {
		return Unknown
	}
	return owners[list.Data[0].OwnedBy]
}

// ForceLength returns the request parameters by which an engine gives exactly n tokens where the limit is n too; false: it is
// not known to have any. llama.cpp's server only has a switch against the end of text, which is enough beside a limit.
func (k Kind) ForceLength(n uint32) (json.RawMessage, bool) {
	switch k {
	case VLLM, SGLang, TRTLLM, Simulated:
		return fmt.Appendf(nil, `{"ignore_eos":true,"min_tokens":%d}`, n), true
	case LlamaCpp:
		return json.RawMessage(`{"ignore_eos":true}`), true
	}
	return nil, false
}

// TellTokens returns the request parameters by which an engine tells the ids of the tokens that it generates; nil: it is not
// known to do that.
func (k Kind) TellTokens() json.RawMessage {
	switch k {
	case VLLM, SGLang, Simulated:
		return json.RawMessage(`{"return_token_ids":true}`)
	}
	return nil
}
