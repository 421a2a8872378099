package identity

import (
	"slices"
	"strings"

	"paceline/sdk"
	"paceline/workloads/checks/canon"
	"paceline/workloads/rawjson"
)

// seen is one thing that the target told: a name and canonical JSON.
type seen struct{ name, value string }

// look is what one round of probes told.
type look struct {
	seen   []seen
	failed []failure
	asked  int // facts
}

// failure is a probe without an answer that tells something.
type failure struct {
	name   string
	status uint32 // 0: no answer at all
}

// serverKeys are what of /server_info is settled when the server starts; the rest changes under load.
var serverKeys = []string{
	"model_path", "tokenizer_path", "served_model_name", "version", "revision", "dtype", "quantization", "kv_cache_dtype", "context_length",
	"chat_template", "tool_call_parser", "reasoning_parser", "tp_size", "dp_size", "pp_size", "ep_size", "mem_fraction_static",
	"max_running_requests", "max_total_tokens", "chunked_prefill_size", "max_prefill_tokens", "schedule_policy", "page_size",
	"disable_radix_cache", "attention_backend", "sampling_backend", "speculative_algorithm", "speculative_num_steps",
	"speculative_draft_model_path", "speculative_num_draft_tokens", "random_seed", "disaggregation_mode",
}

// propsKeys are the same of /props.
var propsKeys = []string{"model_path", "model_alias", "build_info", "chat_template", "total_slots", "bos_token", "eos_token", "modalities"}

// lookAt reads one round out of the facts.
func (v *validator) lookAt(facts []sdk.Fact, after bool) *look {
	l := &look{}
	for _, q := range questions {
		i := slices.IndexFunc(facts, func(f sdk.Fact) bool { return f.Probe == probeID(q.name, after) })
		if i < 0 {
			continue
		}
		l.asked++
		f := &facts[i]
		body := document(f.Body)
		if f.Status != 200 || body == nil {
			l.failed = append(l.failed, failure{q.name, f.Status})
			if gone(f.Status) {
				l.add(q.name+".status", []byte(`"not offered"`))
			}
			continue
		}
		l.read(q.name, body)
		if q.name == chat {
			v.headers(l, f.Headers)
		}
	}
	slices.SortStableFunc(l.seen, func(a, b seen) int { return strings.Compare(a.name, b.name) })
	return l
}

// gone reports whether a status says that the server has no such page, rather than that it could not answer now.
func gone(status uint32) bool { return status == 404 || status == 405 || status == 501 }

// document gives checked JSON that is an object.
func document(text []byte) rawjson.Value {
	if len(text) == 0 || rawjson.Valid(text) != nil {
		return nil
	}
	if v := rawjson.Value(text[rawjson.Space(text, 0):]); v.Kind() == rawjson.Object {
		return v
	}
	return nil
}

func (l *look) add(name string, value rawjson.Value) {
	if !value.Missing() {
		l.seen = append(l.seen, seen{name, string(canon.Append(nil, value))})
	}
}

func (l *look) read(name string, body rawjson.Value) {
	switch name {
	case models:
		l.models(body)
	case version:
		if told := body.Get("version"); !told.Missing() {
			l.add(version, told)
		} else {
			l.add(version, body)
		}
	case serverInfo:
		for _, key := range serverKeys {
			l.add(serverInfo+"."+key, body.Get(key))
		}
	case props:
		for _, key := range propsKeys {
			l.add(props+"."+key, body.Get(key))
		}
		l.add(props+".n_ctx", body.Get("default_generation_settings").Get("n_ctx"))
	case chat:
		l.add("model", body.Get("model"))
		l.add("system_fingerprint", body.Get("system_fingerprint"))
		l.add("prompt_tokens", body.Get("usage").Get("prompt_tokens"))
	default:
		l.add(name+".prompt_tokens", body.Get("usage").Get("prompt_tokens"))
	}
}

// models reads the names, and of each what it is. Dates are left out: servers make them up for each answer.
func (l *look) models(body rawjson.Value) {
	names := []byte{'['}
	body.Get("data").Each(func(i int, m rawjson.Value) bool {
		if i > 0 {
			names = append(names, ',')
		}
		id, _ := m.Get("id").Text()
		names = rawjson.AppendString(names, id)
		for _, key := range []string{"root", "parent", "max_model_len", "owned_by"} {
			l.add(models+"."+id+"."+key, m.Get(key))
		}
		return true
	})
	l.add(models, append(names, ']'))
}

// headers reads the chosen response headers of the fixed request.
func (v *validator) headers(l *look, list []sdk.Label) {
	for _, h := range list {
		name := strings.ToLower(h.Key)
		if slices.Contains(v.watched, name) {
			l.add("header."+name, rawjson.AppendString(nil, h.Value))
		}
	}
}

func (l *look) get(name string) (string, bool) {
	for _, s := range l.seen {
		if s.name == name {
			return s.value, true
		}
	}
	return "", false
}
