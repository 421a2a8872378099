package stats

// Summary describes a list by more than its mean. All figures but Count are in
// output units and missing where the list is too short for them.
type Summary struct {
	Count  int `json:"count"`
	Mean   Num `json:"mean"`
	StdDev Num `json:"stddev"`
	Min    Num `json:"min"`
	P50    Num `json:"p50"`
	P90    Num `json:"p90"`
	P95    Num `json:"p95"`
	P99    Num `json:"p99"`
	P999   Num `json:"p99_9"`
	Max    Num `json:"max"`
	// TooFew names the quantiles for which Count is below MinCount; they are
	// shown all the same.
	TooFew []string `json:"too_few"`
}

// shown lists the quantiles of a Summary with their names in files.
func shown() []struct {
	name string
	q    Quantile
} {
	return []struct {
		name string
		q    Quantile
	}{{"p50", P50}, {"p90", P90}, {"p95", P95}, {"p99", P99}, {"p99_9", P999}}
}

// Summary describes the list. The quantiles are linear (type 7).
func (s Series) Summary() Summary {
	t := s.sums()
	out := Summary{Count: t.n, TooFew: []string{}}
	if t.n == 0 {
		return out
	}
	out.Mean = s.Mean()
	out.StdDev = s.stdDev(&t)
	out.Min = Ratio(s.sorted[0], s.unit().Int64())
	out.Max = Ratio(s.sorted[t.n-1], s.unit().Int64())
	for i, d := range []*Num{&out.P50, &out.P90, &out.P95, &out.P99, &out.P999} {
		q := shown()[i]
		*d = s.Quantile(q.q)
		if t.n < MinCount(q.q) {
			out.TooFew = append(out.TooFew, q.name)
		}
	}
	return out
}

// Few reports whether the quantile of that name was marked as told by too few
// values.
func (s Summary) Few(name string) bool {
	for _, n := range s.TooFew {
		if n == name {
			return true
		}
	}
	return false
}
