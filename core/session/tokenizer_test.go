package session_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/session"
)

// TestTokenizer asks a target's tokenizer: what comes too late is given up at once, and what is no count is an error.
func TestTokenizer(t *testing.T) {
	for name, tt := range map[string]struct {
		reply coretest.Reply
		took  time.Duration
		want  uint64
		fault string
	}{
		"counted":     {said(200, `{"count":7,"tokens":[1]}`, ms(30)), ms(30), 7, ""},
		"too late":    {said(200, `{"count":7}`, ms(5000)), ms(100), 0, "deadline"},
		"not there":   {said(404, `{"detail":"Not Found"}`, ms(1)), ms(1), 0, "/tokenize: status 404"},
		"not a count": {said(200, `<html>`, ms(1)), ms(1), 0, "read a count of tokens"},
	} {
		synctest.Test(t, func(t *testing.T) {
			network := coretest.NewNetwork()
			l, err := network.Listen("engine:8000")
			if err != nil {
				t.Fatal(err)
			}
			served := coretest.Start(t, l, &coretest.Script{Replies: []coretest.Reply{tt.reply}})
			client, err := endpoint.New(endpoint.Config{URL: "http://engine:8000/v1", Dial: network.Dial}, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			ctx, cancel := context.WithTimeout(t.Context(), ms(100))
			defer cancel()
			began := time.Now()
			got, err := session.Tokenizer{Asked: client, Kind: engine.VLLM, Model: "m"}.Tokens(ctx, []byte(`a \"b\"`))
			if took := time.Since(began); got != tt.want || took != tt.took || (err != nil) != (tt.fault != "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("%s: %d after %v: %v", name, got, took, err)
			}
			if name == "counted" {
				r := served.Requests()[0]
				if want := `{"model":"m","prompt":"a \"b\"","add_special_tokens":false}`; r.Target != "/tokenize" || string(r.Body) != want {
					t.Errorf("asked %s %s", r.Target, r.Body)
				}
			}
		})
	}
}
