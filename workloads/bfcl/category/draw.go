package category

// Draw says how many questions of each category are asked, always the first ones.
type Draw struct {
	percent map[Group]int // nil: all; a group that is not named is left out
	floor   int           // a category of at most so many is asked whole
}

// Draws by name. The one of MLPerf's edge benchmark takes 995 of the published set and leaves out live_relevance.
var (
	Whole      = Draw{}
	MLPerfEdge = Draw{percent: map[Group]int{NonLive: 62, Live: 10, Hallucination: 10}, floor: 25}
)

// Take gives how many of total questions of a category are asked.
func (d Draw) Take(c *Category, total int) int {
	if d.percent == nil {
		return total
	}
	percent, ok := d.percent[c.Group]
	if !ok {
		return 0
	}
	if total <= d.floor {
		return total
	}
	return max(1, total*percent/100)
}
