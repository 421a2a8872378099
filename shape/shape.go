package shape

// Shape is what a data set is like.
type Shape struct {
	Title        string   `json:"title"`
	Notes        []string `json:"notes,omitempty"`
	Trajectories int64    `json:"trajectories"`
	Turns        int64    `json:"turns"`
	Branches     int64    `json:"branches"`         // beside main lines
	Answers      int64    `json:"recorded_answers"` // turns with one
	Starts       int64    `json:"recorded_starts"`  // trajectories that tell when they began
	SpanUS       int64    `json:"starts_span_us"`   // from the first of them to the last
	Series       []Series `json:"series"`
	Growth       []Growth `json:"growth"`
	Sharing      Sharing  `json:"sharing"`
}

// Series is one figure of all trajectories or turns.
type Series struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Of    string `json:"of"` // what has it: trajectories, or turns
	Count int64  `json:"count"`
	Sum   int64  `json:"sum"`
	Min   int64  `json:"min"`
	P50   int64  `json:"p50"`
	P90   int64  `json:"p90"`
	P99   int64  `json:"p99"`
	Max   int64  `json:"max"`
	Bins  []Bin  `json:"bins"`
}

// Growth is a turn's position in its branch.
type Growth struct {
	Turn   int   `json:"turn"` // from 1; the last one stands for all later ones too
	Turns  int64 `json:"turns"`
	Prompt int64 `json:"prompt_p50"`
	WaitUS int64 `json:"wait_p50_us"`
}

// Sharing divides all prompts, in file order, by where each part was before. Its parts are bytes, or tokens where the data
// set tells only lengths. Equal beginnings of texts count in pieces of 256 bytes.
type Sharing struct {
	Unit   string `json:"unit"`
	Own    int64  `json:"own_history"`        // in an earlier prompt or answer of the same trajectory
	Others int64  `json:"other_trajectories"` // at the start of another trajectory's prompt
	Fresh  int64  `json:"fresh"`
	Full   bool   `json:"full"` // there are more beginnings than are kept in mind: too much counts as fresh
}

// Units of series.
const (
	unitTurns  = "turns"
	unitTokens = "tokens"
	unitBytes  = "bytes"
	unitTime   = "us"
)

// Shape gives the shape of what was added.
func (c *Collector) Shape(title string, notes []string) *Shape {
	s := &Shape{
		Title: plain(title), Trajectories: c.trajectories, Turns: c.turns.sum, Branches: c.branches, Answers: c.answers,
		Starts: c.starts, SpanUS: c.span.Microseconds(),
	}
	for _, note := range notes {
		s.Notes = append(s.Notes, plain(note))
	}
	for _, x := range []struct {
		name, unit, of string
		tally          *tally
	}{
		{"turns of a trajectory", unitTurns, "trajectories", &c.turns},
		{"prompt", unitTokens, "turns", &c.prompt},
		{"prompt", unitBytes, "turns", &c.promptBytes},
		{"answer", unitTokens, "turns", &c.answer},
		{"wait before a turn", unitTime, "turns", &c.wait},
	} {
		if x.tally.count > 0 {
			s.Series = append(s.Series, x.tally.series(x.name, x.unit, x.of))
		}
	}
	s.Growth = c.growth()
	s.Sharing = Sharing{Unit: unitBytes, Own: c.found[own], Others: c.found[others], Fresh: c.found[fresh], Full: c.tree.full}
	if c.promptBytes.count == 0 {
		s.Sharing = Sharing{Unit: unitTokens, Own: c.found[own] / 4, Others: c.found[others] / 4, Fresh: c.found[fresh] / 4, Full: c.tree.full}
	}
	return s
}

func (t *tally) series(name, unit, of string) Series {
	return Series{
		Name: name, Unit: unit, Of: of, Count: t.count, Sum: t.sum, Min: t.least, P50: t.quantile(50), P90: t.quantile(90),
		P99: t.quantile(99), Max: t.most, Bins: t.bins(),
	}
}

// PromptUnit is the unit of the prompts in Growth: tokens where all turns tell them.
func (s *Shape) PromptUnit() string {
	for _, x := range s.Series {
		if x.Name == "prompt" && x.Unit == unitTokens && x.Count == s.Turns {
			return unitTokens
		}
	}
	return unitBytes
}

func (c *Collector) growth() []Growth {
	var out []Growth
	tokens := c.prompt.count == c.turns.sum
	for i := range c.grows {
		g := &c.grows[i]
		if g.bytes.count == 0 {
			break
		}
		prompt := &g.bytes
		if tokens {
			prompt = &g.prompt
		}
		out = append(out, Growth{Turn: i + 1, Turns: g.bytes.count, Prompt: prompt.quantile(50), WaitUS: g.wait.quantile(50)})
	}
	return out
}
