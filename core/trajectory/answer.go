package trajectory

// AnswerLength is how many tokens the plan says that a turn's answer has; 0: it does not say.
func AnswerLength(t *Turn) uint64 {
	if t.ExactTokens > 0 {
		return uint64(t.ExactTokens)
	}
	if t.Recorded == nil || t.Recorded.Composed == nil {
		return 0
	}
	var sum uint64
	for _, p := range t.Recorded.Composed.Pieces {
		if p.Filler == nil {
			return 0
		}
		sum += uint64(p.Filler.Tokens)
	}
	return sum
}

// Spoken reports whether a recorded answer has words of its own, and so can stand for the target's.
func Spoken(m *Message) bool {
	if m == nil {
		return false
	}
	if m.Composed == nil {
		return true
	}
	for _, p := range m.Composed.Pieces {
		if p.Text == nil {
			return false
		}
	}
	return len(m.Composed.Pieces) > 0
}
