package strata

// The dimensions of a model.
const (
	Classes   = 8  // of traces, by their number of turns
	Groups    = 3  // of classes that share coefficients
	Bands     = 7  // of positions that share a table
	Places    = 10 // of positions that share coefficients
	Phases    = 3  // of positions that share the coefficients of the rarer kinds
	Variables = 3  // assistant tokens, tool tokens, wait
	Character = 32 // outcomes of (explores, long waits, large reads)
	most      = 3  // long waits and large reads are counted jointly up to here
)

// Kinds of turns.
const (
	Plain = iota
	Edit
	Explore
	Long    // waits long
	Reading // reads much
	Kinds
	// Before is what stands before the first turn.
	Before = Kinds
	// ExploreLong is the row of tables of explorations in traces that also wait long elsewhere.
	ExploreLong = Kinds
	// Rows is the number of rows of tables: the kinds, and ExploreLong.
	Rows = Kinds + 1
)

// Places of the regressors of a turn.
const (
	AtDone  = 0  // 4: has there been an edit, an exploration, a long wait, a large read
	AtPrev  = 4  // 4: was the turn before one
	AtOne   = 8  // 1
	AtLag1  = 9  // 3: latent variables of the turn before
	AtLag2  = 12 // 3: of the one before that
	AtMean  = 15 // 3: their mean in the trace so far
	AtTrace = 18 // 6: explores, waits long, waits long more than 3 times, reads, input, turns
	AtSame  = 24 // 2: variables drawn before in the same turn
	AtNoise = 26 // standard deviation of what is left
	// Regressors is how many coefficients a variable has, the noise included.
	Regressors = 27
)

// Coefficients of a class: of turns, edits and input on the character (6) and on the turns (1), and of the final answer on
// those, on the means and on the last turn's latent variables (3 each); each with the noise behind.
const (
	CharacterTerms = 6
	AtTurns        = 0
	AtEdits        = 7
	AtInput        = 15
	AtFinal        = 23
	// ClassTerms is how many coefficients a class has.
	ClassTerms = 37
)

// Model is a fitted model. Its lists are flat; the last index runs fastest. Latent variables, coefficients and noise have 16
// binary places, weights 10.
type Model struct {
	Levels  []int64 `json:"levels"`  // probabilities of a table's values, in 10^-5
	Class   []int64 `json:"class"`   // how many traces a class has
	Joint   []int64 `json:"joint"`   // [Classes][Character]: how many
	Longs   []int64 `json:"longs"`   // steps of each class: long waits, where there are at least 3
	Reads   []int64 `json:"reads"`   // the same of large reads
	Turns   []int64 `json:"turns"`   // steps of each class: turns
	Edits   []int64 `json:"edits"`   // steps of each class: edits
	Input   []int64 `json:"input"`   // [Classes][levels]: tokens
	Final   []int64 `json:"final"`   // [Classes][levels]: tokens
	Trace   []int64 `json:"trace"`   // [Classes][ClassTerms]
	Weights []int64 `json:"weights"` // [Classes][Places][Kinds+1][Kinds]
	Slopes  []int64 `json:"slopes"`  // [sets][Variables][Regressors]
	Cells   []int64 `json:"cells"`   // [Rows][Classes][Bands]: which tables
	Tables  []int64 `json:"tables"`  // [tables][Variables][levels]: tokens, tokens, milliseconds
	Spread  []int64 `json:"spread"`  // [tables][Variables][spreads]: where the latent variable has the places SpreadAt of a normal one
	From    []int64 `json:"from"`    // [Bands][Variables][knots]: logarithms of what tables give at rising ranks, with KnotBits places
	To      []int64 `json:"to"`      // [Bands][Variables][knots]: those of the file at the same ranks

	turns, edits, longs, reads [Classes][]step
	class                      []step
	joint                      [Classes][]step
	at                         []uint32 // levels as probabilities
	input, final, tables       []int64  // the logarithms of Input, Final and Tables
	knots                      int      // of each band and variable
}

// KnotBits is the number of binary places of From and To.
const KnotBits = 12

// SpreadAt are the places of a standard normal variable whose counterparts in the latent variable a table keeps.
var SpreadAt = [...]float64{-2.25, -1, 0, 1, 2.25}

const spreads = len(SpreadAt)

// sets of coefficients: plain turns by group and place, then the other kinds by phase.
const sets = Groups*Places + (Kinds-1)*Phases

// Set gives the set of coefficients of a turn.
func Set(class, position, kind int) int {
	if kind == Plain {
		return Group(class)*Places + Place(position)
	}
	return Groups*Places + (kind-1)*Phases + phase(Place(position))
}

// Group gives the group of a class.
func Group(class int) int {
	switch {
	case class <= 1:
		return 0
	case class <= 4:
		return 1
	}
	return 2
}

// Band gives the band of a position: 0, 1, 2-3, 4-6, 7-11, 12-24, 25 and on.
func Band(position int) int {
	for b, from := range [...]int{1, 2, 4, 7, 12, 25} {
		if position < from {
			return b
		}
	}
	return Bands - 1
}

// Place gives the place of a position: 0 to 6 alone, 7-11, 12-24, 25 and on.
func Place(position int) int {
	if position < 7 {
		return position
	}
	return Band(position) + 3
}

func phase(place int) int {
	switch {
	case place == 0:
		return 0
	case place <= 2:
		return 1
	}
	return 2
}

// Row gives the row of tables of a turn.
func Row(kind int, longs bool) int {
	if kind == Explore && longs {
		return ExploreLong
	}
	return kind
}

// Lists are the names of a model's lists, in the order in which they are written.
var Lists = []string{"levels", "class", "joint", "longs", "reads", "turns", "edits", "input", "final", "trace", "weights", "slopes", "cells", "tables", "spread", "from", "to"}

// Size counts the numbers of a model.
func (m *Model) Size() int {
	n := 0
	for _, l := range [][]int64{m.Levels, m.Class, m.Joint, m.Longs, m.Reads, m.Turns, m.Edits, m.Input, m.Final, m.Trace, m.Weights, m.Slopes, m.Cells, m.Tables, m.Spread, m.From, m.To} {
		n += len(l)
	}
	return n
}
