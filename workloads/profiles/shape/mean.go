package shape

// meanDraws is how many traces the mean is taken over, and meanSeed where they come from: both fixed, so that a profile
// has one mean trace.
const meanDraws = 4096

var meanSeed = [32]byte{'m', 'e', 'a', 'n'}

// Mean gives the source that draws the mean trace of another one, always the same: the mean number of turns, each of mean
// length. It exists to show what such a trace hides.
func Mean(of Source) Source {
	r := NewRandom(meanSeed)
	var t Trace
	var sum struct{ turns, input, final, assistant, tool, wait int64 }
	for range meanDraws {
		of.Draw(r, &t)
		sum.turns += int64(len(t.Turns))
		sum.input += t.Input
		sum.final += t.Final
		for _, turn := range t.Turns {
			sum.assistant += turn.Assistant
			sum.tool += turn.Tool
			sum.wait += turn.Wait
		}
	}
	m := &mean{Trace: Trace{Input: max(1, half(sum.input, meanDraws)), Final: max(1, half(sum.final, meanDraws))}}
	if sum.turns > 0 {
		turn := Turn{Assistant: max(1, half(sum.assistant, sum.turns)), Tool: half(sum.tool, sum.turns), Wait: half(sum.wait, sum.turns)}
		for range half(sum.turns, meanDraws) {
			m.Turns = append(m.Turns, turn)
		}
	}
	return m
}

// half divides and rounds half up.
func half(sum, by int64) int64 { return (2*sum + by) / (2 * by) }

type mean struct{ Trace }

// Draw implements Source.
func (m *mean) Draw(_ *Random, t *Trace) {
	t.Reset()
	t.Input, t.Final, t.Turns = m.Input, m.Final, append(t.Turns, m.Turns...)
}
