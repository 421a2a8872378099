package sim

import (
	"container/heap"
	"time"
)

// user plays runs. It either waits until its next request is due or waits for an answer.
type user struct {
	number   int
	due      time.Duration
	run      uint64 // names the tokens of its run
	turns    []Turn // that are to come
	context  int    // tokens of the history
	hashes   []uint64
	sequence *sequence
}

// ask sends the next request of u: of a new run where the last one is over. A run whose request does not fit the engine ends
// there, as the engine refuses it, and the user takes the next one.
func (p *player) ask(u *user) error {
	for {
		if len(u.turns) == 0 {
			if err := p.begin(u); err != nil {
				return err
			}
		}
		turn := u.turns[0]
		prompt := u.context + turn.Append
		if prompt > 0 && turn.Answer > 0 && prompt+turn.Answer <= p.engine.config.MaxContext {
			u.turns, u.context = u.turns[1:], prompt+turn.Answer
			u.extend(p.engine.config.BlockTokens)
			u.sequence = newSequence(&chain{blocks: u.hashes}, prompt, turn.Answer)
			p.asking = append(p.asking, u)
			p.engine.waiting = append(p.engine.waiting, u.sequence)
			return nil
		}
		if p.tally.Refused++; p.tally.Refused > maxRefused {
			return errRefused
		}
		u.turns = nil
	}
}

func (p *player) begin(u *user) error {
	turns := p.next()
	if len(turns) == 0 {
		return ErrNoTurns
	}
	p.runs++
	p.tally.Runs++
	*u = user{number: u.number, due: u.due, run: p.runs, turns: turns, hashes: u.hashes[:0]}
	return nil
}

// extend names the whole blocks of the history.
func (u *user) extend(blockTokens int) {
	for len(u.hashes) < u.context/blockTokens {
		u.hashes = append(u.hashes, mix(mix(1, u.run), uint64(len(u.hashes))))
	}
}

// answered says when the next request of u is due: of this run after the tool's time, of a new one at once.
func (u *user) answered(now time.Duration) {
	u.sequence = nil
	u.due = now
	if len(u.turns) > 0 {
		u.due += u.turns[0].Wait
	}
}

// users is a heap of users, the one that is due first at the top.
type users []*user

func (l *users) add(u *user)  { heap.Push(l, u) }
func (l *users) take() *user  { return heap.Pop(l).(*user) } //nolint:errcheck // only users are in it
func (l users) first() *user  { return l[0] }
func (l users) Len() int      { return len(l) }
func (l users) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *users) Push(x any)   { *l = append(*l, x.(*user)) } //nolint:errcheck // only users come in
func (l users) Less(i, j int) bool {
	return l[i].due < l[j].due || l[i].due == l[j].due && l[i].number < l[j].number
}

// Pop implements heap.Interface.
func (l *users) Pop() any {
	last := len(*l) - 1
	u := (*l)[last]
	*l = (*l)[:last]
	return u
}
