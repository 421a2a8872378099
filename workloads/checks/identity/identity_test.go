package identity

import (
	"fmt"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

var plugin = sdk.Plugin{Name: "checks", Version: "0.1.0", Components: []sdk.Component{Component()}}

// server is what one target answers, by question; an empty text is a 404, a number its status.
type server map[string]string

func vllm() server {
	return server{
		models:  `{"object":"list","data":[{"id":"qwen","created":123,"root":"/models/qwen","max_model_len":32768}]}`,
		version: `{"version":"0.11.0"}`,
		chat:    `{"id":"x","created":5,"model":"qwen","system_fingerprint":"fp_1","choices":[],"usage":{"prompt_tokens":17,"completion_tokens":1}}`,
		// with preserve_thinking
		thinkingKept:  `{"usage":{"prompt_tokens":62}}`,
		thinkingPlain: `{"usage":{"prompt_tokens":40}}`,
	}
}

func (s server) but(name, body string) server {
	out := server{}
	for k, v := range s {
		out[k] = v
	}
	out[name] = body
	return out
}

func (s server) facts(after bool) []sdk.Fact {
	var list []sdk.Fact
	for _, q := range questions {
		f := sdk.Fact{Probe: probeID(q.name, after), Status: 200, Body: []byte(s[q.name]), Headers: []sdk.Label{{Key: "Server", Value: "uvicorn"}}}
		switch body := s[q.name]; {
		case body == "":
			f.Status, f.Body = 404, []byte(`{"detail":"Not Found"}`)
		case body[0] >= '0' && body[0] <= '9':
			f.Status, f.Body = 0, nil
			_, _ = fmt.Sscan(body, &f.Status)
		case body[0] == '#':
			f.Body, f.Headers = []byte(body[1:]), nil
		}
		list = append(list, f)
	}
	return list
}

func TestBeforeAndAfter(t *testing.T) {
	same := vllm()
	sglang := same.but(serverInfo, `{"version":"0.5","tp_size":8,"last_gen_throughput":12.5}`)
	for _, tc := range []struct {
		name, config  string
		before, after server
		reason        string // empty: passed
	}{
		{"the same", `{}`, same, same, ""},
		{"other dates", `{}`, same, same.but(models, strings.Replace(same[models], "123", "456", 1)), ""},
		{"another model", `{}`, same, same.but(models, `{"data":[{"id":"llama"}]}`),
			`models changed during the run: ["qwen"] before, ["llama"] after (and 2 more differences)`},
		{"another length", `{}`, same, same.but(models, strings.Replace(same[models], "32768", "16384", 1)),
			`models.qwen.max_model_len changed during the run: 32768 before, 16384 after`},
		{"another version", `{}`, same, same.but(version, `{"version":"0.11.1"}`), `version changed during the run: "0.11.0" before, "0.11.1" after`},
		{"another fingerprint", `{}`, same, same.but(chat, strings.Replace(same[chat], "fp_1", "fp_2", 1)),
			`system_fingerprint changed during the run: "fp_1" before, "fp_2" after`},
		{"another template", `{}`, same, same.but(chat, strings.Replace(same[chat], "17", "19", 1)), `prompt_tokens changed during the run: 17 before, 19 after`},
		{"thinking dropped since", `{}`, same, same.but(thinkingKept, `{"usage":{"prompt_tokens":40}}`),
			`thinking.prompt_tokens changed during the run: 62 before, 40 after`},
		{"another server", `{}`, same, same.but(chat, "#"+same[chat]), `header.server changed during the run: "uvicorn" before, null after`},
		{"a header that is not compared", `{"headers":["via"]}`, same, same.but(chat, "#"+same[chat]), ""},
		{"a page that is gone", `{}`, same, same.but(version, ""), `version changed during the run: "0.11.0" before, null after (and 1 more differences)`},
		{"a page that failed", `{}`, same, same.but(version, "503"), ""},
		{"no answer", `{}`, same, same.but(chat, "0"), ""},
		{"nothing comparable", `{}`, server{models: "0", chat: "500", version: "500"}, server{models: "0", chat: "500", version: "500"},
			"the target told nothing by which before and after could be compared"},
		{"under load", `{}`, sglang, sglang.but(serverInfo, `{"version":"0.5","tp_size":8,"last_gen_throughput":99.0}`), ""},
		{"another number of devices", `{}`, sglang, sglang.but(serverInfo, `{"version":"0.5","tp_size":4}`),
			`server_info.tp_size changed during the run: 8 before, 4 after`},
		{"ignored", `{"ignore":["server_info.*"]}`, sglang, sglang.but(serverInfo, `{"version":"0.6","tp_size":4}`), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := sdktest.Open(t, &plugin, "identity", sdktest.Options{Config: tc.config})
			v, err := c.ConcludeCheck(sdk.ConcludeRequest{Facts: append(tc.before.facts(false), tc.after.facts(true)...)})
			if err != nil {
				t.Fatal(err)
			}
			if v.Passed != (tc.reason == "") || v.Reason != tc.reason {
				t.Errorf("passed %v, %q; want %q", v.Passed, v.Reason, tc.reason)
			}
			changed := 0
			for _, f := range v.Findings {
				if f.Severity == sdk.SeverityError {
					changed++
					if f.Code != codeChanged || document(f.Detail) == nil || document(f.Detail).Get("before") == nil {
						t.Errorf("finding %+v", f)
					}
				}
			}
			if (changed > 0) != strings.Contains(tc.reason, "changed") {
				t.Errorf("%d changes: %q", changed, v.Reason)
			}
		})
	}
}

func TestProbesMissing(t *testing.T) {
	c := sdktest.Open(t, &plugin, "identity", sdktest.Options{Config: `{}`})
	v, err := c.ConcludeCheck(sdk.ConcludeRequest{Facts: vllm().facts(false)})
	if err != nil || v.Passed || v.Reason != "the probes before or after the run are missing" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestPreflight(t *testing.T) {
	same := vllm()
	for _, tc := range []struct {
		name, config string
		server       server
		want         []string // messages of errors
	}{
		{"nothing expected", `{}`, server{}, nil},
		{"as expected", `{"expect":{"models":["qwen"],"version":"0.11.0","prompt_tokens":17.0,"models.qwen.max_model_len":32768,
			"header.Server":"uvicorn"},"preserve_thinking":true}`, same, nil},
		{"another model", `{"expect":{"models":["llama"]}}`, same, []string{`models: expected ["llama"], found ["qwen"]`}},
		{"two things", `{"expect":{"version":"1","prompt_tokens":18}}`, same,
			[]string{`prompt_tokens: expected 18, found 17`, `version: expected "1", found "0.11.0"`}},
		{"not told", `{"expect":{"props.build_info":"b1"}}`, same, []string{`props.build_info: expected "b1", and the target does not tell it`}},
		{"thinking dropped", `{"preserve_thinking":true}`, same.but(thinkingKept, same[thinkingPlain]),
			[]string{"thinking is not preserved: a history with thinking and one without it both make 40 prompt tokens"}},
		{"thinking refused", `{"preserve_thinking":true}`, same.but(thinkingKept, "400"),
			[]string{"whether thinking is preserved cannot be told: the target gave no prompt tokens for the requests that would show it"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := sdktest.Open(t, &plugin, "identity", sdktest.Options{Config: tc.config})
			findings, err := c.Preflight(tc.server.facts(false), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings {
				if f.Severity == sdk.SeverityError {
					got = append(got, f.Message)
				} else if f.Code != codeSilent {
					t.Errorf("finding %+v", f)
				}
			}
			if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
				t.Errorf("errors %q, want %q", got, tc.want)
			}
		})
	}
}

func TestLongValues(t *testing.T) {
	long := strings.Repeat("x", 9000)
	before, after := vllm().but(props, `{"chat_template":"`+long+`A"}`), vllm().but(props, `{"chat_template":"`+long+`B"}`)
	c := sdktest.Open(t, &plugin, "identity", sdktest.Options{Config: `{}`})
	v, err := c.ConcludeCheck(sdk.ConcludeRequest{Facts: append(before.facts(false), after.facts(true)...)})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(v.Reason, `xA"... (9003 bytes`) || !strings.Contains(v.Reason, `xB"...`) || len(v.Reason) > 500 {
		t.Errorf("%s", v.Reason)
	}
}

func TestBadConfiguration(t *testing.T) {
	_, err := sdktest.TryOpen(t, &plugin, "identity", sdktest.Options{
		Config: `{"expect":{"modles":[],"version":null},"ignore":"x","preserve_thinking":"yes","more":1}`})
	faults, ok := err.(sdk.Faults)
	if !ok || len(faults) != 5 {
		t.Fatalf("%v", err)
	}
}
