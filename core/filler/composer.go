package filler

import (
	"errors"
	"sync"

	"paceline/core/chat"
	"paceline/core/seed"
	"paceline/core/trajectory"
)

// Composer makes the messages of a run. It is safe for concurrent use; what it returns shares memory and is not written to.
type Composer struct {
	root    uint64
	lengths Lengths
	made    func() *material

	returned *returns
}

// New returns the composer of a run with that seed.
func New(root uint64, l Lengths) (*Composer, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	kind := words
	if l.Mode == Exact {
		kind = ids
	}
	made := sync.OnceValue(func() *material { return kind(root) })
	return &Composer{root: root, lengths: l, made: made, returned: newReturns(&l)}, nil
}

// Lengths returns what the composer was made with.
func (c *Composer) Lengths() Lengths { return c.lengths }

// Owner is whose messages are made. Repeat is 0 where passes are to share their prompts.
type Owner struct {
	Workload, Trajectory string
	Repeat               uint32
}

// Made is one turn, made. Its recorded answer is one draft, of token ids perhaps several.
type Made struct {
	trajectory.Made
	// Prompt is how many tokens the trajectory wants the request to have; 0: it does not say.
	Prompt int64
	// Least says that its last filler is as short as can be, and that the request has more tokens than it is to have all the
	// same: what came before came to too many.
	Least bool
}

var errNoIDs = errors.New("it holds text, which has no token ids here; only filler and answers have (lengths.mode text plays it)")

// seedOf names a piece of filler: equal seeds, equal text.
func (s *Script) seedOf(f *trajectory.Filler) seed.Seed {
	repeat := seed.Uint(uint64(s.owner.Repeat))
	switch f.Scope {
	case trajectory.ScopeTrajectory:
		return seed.Derive(s.c.root, seed.Filler, []byte("trajectory"), []byte(s.owner.Workload), []byte(s.owner.Trajectory), repeat, f.Key)
	case trajectory.ScopeWorkload:
		return seed.Derive(s.c.root, seed.Filler, []byte("workload"), []byte(s.owner.Workload), repeat, f.Key)
	default:
		return seed.Derive(s.c.root, seed.Filler, []byte("run"), repeat, f.Key)
	}
}

// OwnSalt reports whether a conversation's first message begins with filler, so that the seed alone keeps its prompts apart
// from those of other runs and passes, and no salt has to be put into them.
func OwnSalt(turns []trajectory.Turn) bool {
	if len(turns) == 0 || len(turns[0].Append) == 0 {
		return false
	}
	c := turns[0].Append[0].Composed
	return c != nil && len(c.Pieces) > 0 && c.Pieces[0].Filler != nil && c.Pieces[0].Filler.Tokens > 0
}

// StandIn makes what stands for an answer of which only the length is known: token ids, or an assistant's message.
func (c *Composer) StandIn(o Owner, turn uint32, tokens uint64) []chat.Draft {
	drafts, _ := c.standIn(o, turn, tokens)
	return drafts
}

// standIn also tells how many millionths of tokens the filler has.
func (c *Composer) standIn(o Owner, turn uint32, tokens uint64) ([]chat.Draft, int64) {
	s := c.Begin(o, false)
	key := append([]byte("answer of turn "), seed.Uint(uint64(turn))...)
	l := &line{begun: true}
	pieces := s.filler(l, &trajectory.Filler{Tokens: uint32(min(tokens, maxPrompt)), Key: key, Scope: trajectory.ScopeTrajectory}, true)
	if s.Exact() {
		return s.fragments(pieces), l.micro
	}
	return []chat.Draft{{Role: "assistant", Pieces: pieces}}, l.micro
}
