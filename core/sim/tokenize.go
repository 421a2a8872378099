package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// tokenize tells how many tokens a text has, as vLLM's page of that name does.
func (s *Server) tokenize(x *exchange) bool {
	var asked struct {
		Prompt *string `json:"prompt"`
	}
	if err := json.Unmarshal(x.in.body, &asked); err != nil || asked.Prompt == nil {
		return x.fail(http.StatusBadRequest, "the request has no prompt that is a text", "")
	}
	return x.reply(http.StatusOK, jsonType, fmt.Appendf(nil, `{"count":%d,"max_model_len":%d}`, countTokens(*asked.Prompt), s.config.MaxContext))
}
