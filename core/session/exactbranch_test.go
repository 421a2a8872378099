package session_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/engine"
	"paceline/core/filler"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// fanned is an agent of lengths: its first turn forks one sub-agent and starts one with a history of its own, the first of which
// plays two turns, and its last turn holds both answers between filler.
func fanned() *trajectory.Trajectory {
	zero, three, two := uint32(0), uint32(3), uint32(2)
	filled := func(tokens uint32, key string) trajectory.Piece {
		return trajectory.Piece{Filler: &trajectory.Filler{Tokens: tokens, Key: []byte(key), Scope: trajectory.ScopeTrajectory}}
	}
	says := func(role string, pieces ...trajectory.Piece) []trajectory.Message {
		return []trajectory.Message{{Composed: &trajectory.Composed{Role: role, Pieces: pieces}}}
	}
	t := &trajectory.Trajectory{ID: "fanned", Turns: []trajectory.Turn{
		{Index: 0, Append: says("user", filled(700, "plan")), ExactTokens: 30},
		{Index: 1, Append: says("user", filled(50, "one")), Branch: 1, ForkOf: &zero, ExactTokens: 40},
		{Index: 2, Append: says("user", filled(300, "two")), Branch: 2, After: &[]uint32{0}, ExactTokens: 21},
		{Index: 3, Append: says("user", filled(60, "one more")), Branch: 1, ExactTokens: 17},
		{Index: 4, Append: says("user", trajectory.Piece{AnswerOfTurn: &three}, filled(90, "and"), trajectory.Piece{AnswerOfTurn: &two}), ExactTokens: 25},
		{Index: 5, Append: says("user", filled(10, "end")), ExactTokens: 5, Final: true},
	}}
	for i := range t.Turns {
		t.Turns[i].Recorded = &says("assistant", filled(t.Turns[i].ExactTokens, "answer "+strconv.Itoa(i)))[0]
	}
	return t
}

// fannedContexts are worked out by hand: turn 1 goes on from 700 + 30, turn 2 begins anew, turn 3 goes on from 780 + 40, turn 4
// from 700 + 30 with the answers of 17 and 21 tokens.
var fannedContexts = []int{700, 780, 300, 880, 858, 893}

// TestExactBranches plays a fan-out whose prompts are token ids: forks, a history of its own, and answers in their parent.
func TestExactBranches(t *testing.T) {
	for _, history := range []chat.HistoryRule{chat.Live, chat.Recorded} {
		for _, told := range []bool{true, false} {
			prompts, answers := playFanned(t, history, told)
			var lengths []int
			for _, p := range prompts {
				lengths = append(lengths, len(p))
			}
			if diff := cmp.Diff(fannedContexts, lengths); diff != "" {
				t.Errorf("%s history, ids told %t: lengths of prompts (-want +got)\n%s", history, told, diff)
				continue
			}
			held := slices.Concat(prompts[0], answers[0])
			one := slices.Concat(prompts[1], answers[1])
			if !slices.Equal(prompts[1][:730], held) || !slices.Equal(prompts[3][:820], one) || !slices.Equal(prompts[4][:730], held) ||
				slices.Equal(prompts[2], prompts[0][:300]) {
				t.Errorf("%s history, ids told %t: a branch does not go on where it forks", history, told)
			}
			if got := prompts[4][730:]; !slices.Equal(got[:17], answers[3]) || !slices.Equal(got[17+90:], answers[2]) {
				t.Errorf("%s history, ids told %t: the parent does not hold its sub-agents' answers", history, told)
			}
		}
	}
}

// playFanned returns the prompts by turn, and of what ids each answer is in the prompts behind it.
func playFanned(t *testing.T, history chat.HistoryRule, told bool) (prompts, answers [][]int) {
	t.Helper()
	tr := fanned()
	p := play{
		source: sourceOf(tr), api: chat.APICompletions,
		script: &coretest.Script{Replies: []coretest.Reply{said(200, `{{}}`, ms(1))}, Edit: func(r *coretest.Request, _ []*coretest.Request, _ []byte) []byte {
			limit, _ := limits(t, r.Body)
			ids := slices.Repeat([]int{5000 + limit}, limit)
			list, err := json.Marshal(ids)
			if err != nil {
				t.Error(err)
			}
			choice := fmt.Sprintf(`{"index":0,"text":"abc","finish_reason":"length","token_ids":%s}`, list)
			if !told {
				choice = `{"index":0,"text":"abc","finish_reason":"length"}`
			}
			return fmt.Appendf(nil, `{"choices":[%s],"usage":{"prompt_tokens":10,"completion_tokens":%d}}`, choice, limit)
		}},
		sched: func(c *sched.Config) {
			c.History, c.Wire.API, c.Lengths, c.Switches = history, chat.APICompletions, filler.Default(filler.Exact), engine.Simulated.TellTokens()
		},
	}
	out := p.run(t).good(t)
	turns := map[int]int{} // by the limit of tokens, which differs for each
	for i := range tr.Turns {
		turns[int(tr.Turns[i].ExactTokens)] = i
	}
	prompts, answers = make([][]int, len(tr.Turns)), make([][]int, len(tr.Turns))
	for _, body := range sent(out.requests) {
		limit, prompt := limits(t, body)
		prompts[turns[limit]] = prompt
		answers[turns[limit]] = slices.Repeat([]int{5000 + limit}, limit)
	}
	if history == chat.Recorded || !told { // filler of the answer's length stands in its place
		answers[0], answers[1] = prompts[4][700:730], prompts[3][780:820]
		answers[3], answers[2] = prompts[4][730:747], prompts[4][837:858]
	}
	return prompts, answers
}

// limits reads a request's limit of tokens and its prompt.
func limits(t *testing.T, body []byte) (int, []int) {
	t.Helper()
	var r struct {
		Limit  int   `json:"max_tokens"`
		Prompt []int `json:"prompt"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Errorf("%v in %s", err, body)
	}
	return r.Limit, r.Prompt
}
