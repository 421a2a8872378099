package chat

import (
	"fmt"
	"slices"
	"strings"
)

// API is the interface by which a target is asked. Trajectories, histories, journals and judges know chat messages alone;
// what differs between the APIs lies in requests on their way out and in answers on their way in. The empty API is APIChat.
type API string

// APIs of targets.
const (
	APIChat        API = "chat"        // OpenAI's chat completions
	APICompletions API = "completions" // OpenAI's older completions: one prompt, a text or token ids
	APIResponses   API = "responses"   // OpenAI's responses
	APIMessages    API = "messages"    // Anthropic's messages
)

// APIs lists the names of all APIs, the default first.
func APIs() []string {
	return []string{string(APIChat), string(APICompletions), string(APIResponses), string(APIMessages)}
}

// Check reports a name that is no API's.
func (a API) Check() error {
	if a == "" || slices.Contains(APIs(), string(a)) {
		return nil
	}
	return fmt.Errorf("API %q is not known: want one of %s", string(a), strings.Join(APIs(), ", "))
}

// Named returns the API by its name, also where it was left to the default.
func (a API) Named() API {
	if a == "" {
		return APIChat
	}
	return a
}

// params returns chat parameters, tools among them, by the API's names and forms; what the API does not have is an error.
func (a API) params(p Params) (Params, error) {
	var err error
	switch a {
	case APICompletions:
		p, err = completionParams(p)
	case APIResponses:
		p, err = responseParams(p)
	case APIMessages:
		p, err = messageParams(p)
	default:
		return p, nil
	}
	p.sort()
	return p, err
}
