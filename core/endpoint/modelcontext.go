package endpoint

import (
	"encoding/json"
	"net/http"
)

// ModelContext returns the longest context of a model as a reply of /v1/models tells it: its max_model_len, which vLLM, SGLang
// and the simulated engine have. False where it tells none.
func ModelContext(reply *Reply, model string) (int64, bool) {
	if reply == nil || reply.Status != http.StatusOK {
		return 0, false
	}
	var list struct {
		Data []struct {
			ID     string          `json:"id"`
			Length json.RawMessage `json:"max_model_len"`
		} `json:"data"`
	}
	if json.Unmarshal(reply.Body, &list) != nil {
		return 0, false
	}
	for _, m := range list.Data {
		var n int64
		if m.ID == model && json.Unmarshal(m.Length, &n) == nil && n > 0 {
			return n, true
		}
	}
	return 0, false
}
