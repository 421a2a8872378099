package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Answer is what the engine says. It is cut by the request's max_tokens.
type Answer struct {
	Reasoning string
	Content   string
	ToolCalls []ToolCall
}

// Tokens is the length of the answer.
func (a Answer) Tokens() int {
	all, _ := a.tokens()
	return all
}

// tokens returns the length of the answer and of its reasoning.
func (a Answer) tokens() (all, reasoning int) {
	reasoning = countTokens(a.Reasoning)
	all = reasoning + countTokens(a.Content)
	for _, c := range a.ToolCalls {
		all += 1 + countTokens(c.Arguments)
	}
	return all, reasoning
}

// AnswerByUser returns a function for [Config.Answer] that looks up the text of
// the last user message. Requests with another text get a drawn answer.
func AnswerByUser(answers map[string]Answer) func(*Request) (Answer, bool) {
	return func(r *Request) (Answer, bool) {
		a, ok := answers[r.LastUser()]
		return a, ok
	}
}

// answer draws the answer to r, or takes the configured one.
func (c Config) answer(r *Request) Answer {
	random := rand.New(rand.NewPCG(c.Seed, r.draw()))
	if c.Answer != nil {
		if a, ok := c.Answer(r); ok {
			a.ToolCalls = nameCalls(a.ToolCalls, random)
			return a
		}
	}
	return c.draw(r, random)
}

func (c Config) draw(r *Request, random *rand.Rand) Answer {
	var a Answer
	if c.ReasoningTokens > 0 && !r.noThink {
		a.Reasoning = words(drawLength(c.ReasoningTokens, random), random)
	}
	length := drawLength(c.AnswerTokens, random)
	if r.fill && r.MaxTokens > 0 {
		length = r.MaxTokens - countTokens(a.Reasoning)
	}
	length = max(length, r.minimum-countTokens(a.Reasoning), 1)
	if len(r.Tools) > 0 && !r.noTools && !c.NoToolCalls && !r.fill && random.IntN(10) > 0 {
		arguments := random.IntN(60) + 8
		a.ToolCalls = nameCalls([]ToolCall{drawCall(r.Tools, min(arguments, length), random)}, random)
		called, _ := a.tokens()
		length = max(0, length-(called-countTokens(a.Reasoning)))
	}
	a.Content = words(length, random)
	return a
}

// drawLength draws around a mean: a floor of 3/10, then an exponential tail.
func drawLength(mean int, random *rand.Rand) int {
	n := 0.3*float64(mean) + 0.7*float64(mean)*random.ExpFloat64()
	return max(1, min(int(n), 8*mean))
}

func nameCalls(calls []ToolCall, random *rand.Rand) []ToolCall {
	named := make([]ToolCall, len(calls))
	for i, c := range calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%016x", random.Uint64())
		}
		named[i] = c
	}
	return named
}

// Every word has four bytes, so it is one token; no answer ends in a blank.
const (
	openings = "ThenNextHereNow,WithFromThisFirst"
	middles  = " the run fix add use see set get map put row key log bug old new all one two and for but not can may out now try end top"
)

// words returns a text of n tokens.
func words(n int, random *rand.Rand) string {
	if n == 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(n * tokenBytes)
	at := random.IntN(len(openings)/tokenBytes) * tokenBytes
	b.WriteString(openings[at : at+tokenBytes])
	for range n - 1 {
		at := random.IntN(len(middles)/tokenBytes) * tokenBytes
		b.WriteString(middles[at : at+tokenBytes])
	}
	return b.String()
}
