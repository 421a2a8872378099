package sweep

// Bytes guesses what the run folder of a point takes at most: a record for each turn and its answer, four bytes for each chunk of a
// token, and the texts of the data set once.
func (p *PlannedPoint) Bytes(turns, tokensPerTurn, dataset int64) int64 {
	const record, chunk, text = 1 << 10, 4, 6 // text: of a token, with what JSON adds
	return turns*int64(max(p.Repeats, 1))*(record+tokensPerTurn*(chunk+text)) + dataset
}
