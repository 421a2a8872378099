// Package category knows the single-turn categories of BFCL v4: their names, what is asked of an answer in each, and how
// they weigh in a score.
package category

import "strings"

// Category is one of them.
type Category struct {
	Name     string
	Group    Group
	Language Language // that of the functions
	Calls    Calls
	Size     int // questions in the published set
}

// Group is what scores are joined by.
type Group string

// The groups. What stands alone counts for itself and in no group: BFCL's live_relevance.
const (
	NonLive       Group = "non_live"
	Live          Group = "live"
	Hallucination Group = "hallucination"
	Alone         Group = "alone"
)

// Language says how arguments are written.
type Language byte

// The languages. Arguments for Java and JavaScript are texts that hold source.
const (
	Python Language = iota
	Java
	JavaScript
)

// Calls says what calls an answer must have.
type Calls byte

// What is asked for.
const (
	One      Calls = iota // one, of the first function
	Chosen                // one, of the right function
	Several               // some, in any order
	NoCall                // none
	SomeCall              // any
)

// All has every category, in the order of BFCL's own list.
var All = [...]Category{
	{"simple_python", NonLive, Python, One, 400},
	{"simple_java", NonLive, Java, One, 100},
	{"simple_javascript", NonLive, JavaScript, One, 50},
	{"multiple", NonLive, Python, Chosen, 200},
	{"parallel", NonLive, Python, Several, 200},
	{"parallel_multiple", NonLive, Python, Several, 200},
	{"irrelevance", Hallucination, Python, NoCall, 240},
	{"live_simple", Live, Python, One, 258},
	{"live_multiple", Live, Python, Chosen, 1053},
	{"live_parallel", Live, Python, Several, 16},
	{"live_parallel_multiple", Live, Python, Several, 24},
	{"live_irrelevance", Hallucination, Python, NoCall, 884},
	{"live_relevance", Alone, Python, SomeCall, 16},
}

// Judged reports whether answers are held against stored ones.
func (c *Category) Judged() bool { return c.Calls < NoCall }

// Index finds a category by its name; -1 where there is none.
func Index(name string) int {
	for i := range All {
		if All[i].Name == name {
			return i
		}
	}
	return -1
}

// OfID gives the category of a question by its id, as live_simple_3-1-0; -1 where it is of none.
func OfID(id string) int { return Index(id[:max(strings.LastIndexByte(id, '_'), 0)]) }

// Names lists the names.
func Names() []string {
	names := make([]string, len(All))
	for i := range All {
		names[i] = All[i].Name
	}
	return names
}
