package traces

import (
	"encoding/json"
	"time"

	"paceline/core/trajectory"
)

// Summary is what some trajectories hold together.
type Summary struct {
	Trajectories int           `json:"trajectories"`
	Turns        int           `json:"turns"`
	MostTurns    int           `json:"most_turns"`       // of one trajectory
	Branches     int           `json:"branches"`         // beside the main lines
	Answers      int           `json:"recorded_answers"` // on record
	Filler       int           `json:"filler_messages"`  // of which only a length is known
	Told         int           `json:"turns_with_usage"`
	Input        int64         `json:"input_tokens"`  // told, or of filler
	Output       int64         `json:"output_tokens"` // told, or asked for
	Cached       int64         `json:"cached_tokens"`
	Wait         time.Duration `json:"wait_ns"`
	Longest      time.Duration `json:"longest_wait_ns"`
	Offsets      int           `json:"recorded_starts"` // trajectories that tell when they began
}

// usage is what an importer leaves of recorded token counts in a turn's truth.
type usage struct {
	Usage *struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
		Cached int64 `json:"cached_tokens"`
	} `json:"usage"`
}

// Add counts one trajectory.
func (s *Summary) Add(t *trajectory.Trajectory) {
	s.Trajectories++
	s.Turns += len(t.Turns)
	s.MostTurns = max(s.MostTurns, len(t.Turns))
	if t.StartOffset != nil {
		s.Offsets++
	}
	branches := map[uint32]int64{} // branch -> filler of its history
	for i := range t.Turns {
		s.turn(&t.Turns[i], branches)
	}
	if _, main := branches[0]; main {
		s.Branches--
	}
	s.Branches += len(branches)
}

func (s *Summary) turn(t *trajectory.Turn, filled map[uint32]int64) {
	s.Wait += t.Delay
	s.Longest = max(s.Longest, t.Delay)
	history := filled[t.Branch]
	for i := range t.Append {
		history += s.filler(&t.Append[i])
	}
	sent, answered := history, int64(t.ExactTokens)
	if t.Recorded != nil {
		s.Answers++
		history += s.filler(t.Recorded)
	}
	filled[t.Branch] = history
	var told usage
	if len(t.Truth) > 0 && json.Unmarshal(t.Truth, &told) == nil && told.Usage != nil {
		s.Told++
		sent, answered = told.Usage.Input, told.Usage.Output
		s.Cached += told.Usage.Cached
	}
	s.Input += sent
	s.Output += answered
}

func (s *Summary) filler(m *trajectory.Message) (tokens int64) {
	if m.Composed == nil {
		return 0
	}
	for _, p := range m.Composed.Pieces {
		if p.Filler != nil {
			s.Filler++
			tokens += int64(p.Filler.Tokens)
		}
	}
	return tokens
}
