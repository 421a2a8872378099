package identity

import "paceline/sdk"

// Names of what is asked, before the run and after it.
const (
	models        = "models"
	version       = "version"
	serverInfo    = "server_info"
	props         = "props"
	chat          = "chat"
	thinkingKept  = "thinking"
	thinkingPlain = "no_thinking"
)

// question is one thing that is asked.
type question struct{ name, path, chat string }

// questions are asked in this order. The host fills in the model, the run's parameters and what else a request needs.
var questions = [...]question{
	{name: models, path: "/v1/models"},
	{name: version, path: "/version"},
	{name: serverInfo, path: "/server_info"}, // SGLang
	{name: props, path: "/props"},            // llama.cpp
	{name: chat, chat: `{"messages":[{"role":"system","content":"You answer with one word."},{"role":"user","content":"Are you ready?"}]}`},
	{name: thinkingKept, chat: `{"messages":[` + ask + `{"role":"assistant","content":"Four.","reasoning_content":` +
		`"The user asks for the sum of two and two. Counting up from two by two gives four, so the answer is four."},` + again + `]}`},
	{name: thinkingPlain, chat: `{"messages":[` + ask + `{"role":"assistant","content":"Four."},` + again + `]}`},
}

const (
	ask   = `{"role":"user","content":"What is two and two?"},`
	again = `{"role":"user","content":"And three and three?"}`
)

// probeID names a question and when it is asked; other plugins ask by other names.
func probeID(name string, after bool) string {
	if after {
		return "identity/" + name + "/after"
	}
	return "identity/" + name + "/before"
}

func probes() []sdk.Probe {
	var list []sdk.Probe
	for _, after := range []bool{false, true} {
		when := sdk.WhenBefore
		if after {
			when = sdk.WhenAfter
		}
		for _, q := range questions {
			list = append(list, sdk.Probe{Id: probeID(q.name, after), When: when, GetPath: q.path, ChatRequest: []byte(q.chat)})
		}
	}
	return list
}
