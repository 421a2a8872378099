package history

import (
	"math"
	"strconv"

	"paceline/sdk"
)

// Length is one request of which only lengths in tokens are known.
type Length struct {
	Start, End    int64 // nanoseconds, or frame.NoTime
	Input, Output int64 // of the whole prompt and of the answer
	MaxTokens     uint32
	Usage         Usage
	Params        []byte
}

// LengthOf gives the lengths of a request as its usage tells them.
func LengthOf(c *Call) Length {
	return Length{
		Start: c.Start, End: c.End, Input: max(c.Usage.Input, 0), Output: max(c.Usage.Output, 0), MaxTokens: c.MaxTokens, Usage: c.Usage, Params: c.Params,
	}
}

// Fill makes a request without messages one of filler, of the lengths that its usage tells. number keeps it apart from
// others.
func (c *Call) Fill(number int) {
	name := strconv.Itoa(number)
	c.Input = []sdk.Message{Filler("user", tokens(c.Usage.Input), "in-"+name)}
	output := Filler("assistant", tokens(c.Usage.Output), "out-"+name)
	c.Output = &output
}

// tokens bounds a count to what a filler can have.
func tokens(n int64) uint32 { return uint32(min(max(n, 0), math.MaxInt32)) }

// Lengths makes turns of requests one after another whose texts are filler. A request goes on from the history before it
// where its prompt is at least as long as that; a shorter one begins a history of its own.
func Lengths(list []Length) []sdk.Turn {
	var l Linear
	had := int64(0)
	for i, r := range list {
		number := strconv.Itoa(i)
		if r.Input < had {
			l.Reset()
			had = 0
		}
		l.Client(Filler("user", tokens(r.Input-had), "in-"+number), "user", r.Start)
		turn := l.Answer(Filler("assistant", tokens(r.Output), "out-"+number), r.End)
		turn.ExactTokens, turn.MaxTokens, turn.Params, turn.Truth = tokens(r.Output), r.MaxTokens, r.Params, r.Usage.Truth()
		had = r.Input + r.Output
	}
	return l.Turns()
}
