package chart

// Curve is one sweep of one system and one model.
type Curve struct {
	Title    string
	Notes    []string // what a reader must know, e.g. that the data are a stand-in
	X, Y     Axis
	Regions  []Region
	Points   []Point
	Overlays []Overlay
}

// Axis names what is measured, e.g. "E2E average interactivity" in "tokens/s per user".
type Axis struct{ Name, Unit string }

// Region is a range of concurrencies, both ends included. One whose Last is below First is empty and is not drawn.
type Region struct {
	Name        string
	First, Last int
	Margin      bool // above the declared maximum: a point there is legal and covers nothing
}

// Point is one run at one concurrency.
type Point struct {
	Concurrency int
	X, Y        *float64 // nil: there is no such figure
	Missing     string   // why X or Y is nil
	Region      string   // Name of one of the curve's regions, or empty
	Verdicts    []Verdict
	Facts       []Fact
}

// Verdict is what one rule says of a point.
type Verdict struct {
	Name   string
	Passed bool
	Text   string
}

// Fact is a figure that is shown and not judged.
type Fact struct{ Name, Value string }

// Overlay is an earlier sweep, drawn behind the curve for comparison.
type Overlay struct {
	Name   string
	Points []Point
}

// Status sums up the verdicts of a point.
type Status string

// Statuses. Each has a colour and a shape of its own in the drawing.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Unknown Status = "not judged"
)

// Status is Failed where one verdict failed, and Unknown where there is none.
func (p Point) Status() Status {
	if len(p.Verdicts) == 0 {
		return Unknown
	}
	for _, v := range p.Verdicts {
		if !v.Passed {
			return Failed
		}
	}
	return Passed
}
