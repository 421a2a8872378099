package strata

import (
	"sort"

	"paceline/workloads/profiles/fixed"
)

// read reads a table at a probability: a straight line between the logarithms of its values.
func (m *Model) read(logs []int64, u uint32) int64 {
	i := 1
	for i < len(m.at)-1 && u >= m.at[i] {
		i++
	}
	share := int64((uint64(u-m.at[i-1]) << 16) / uint64(m.at[i]-m.at[i-1]))
	return logs[i-1] + ((logs[i]-logs[i-1])*share)>>16
}

// bend moves a logarithm to that of the file's value of the same rank among all turns of the band: what the tables of classes
// and kinds together are off by at a position is gone then. Knots at one place, which a frequent value makes, count as the
// one in their middle.
func (m *Model) bend(band, variable int, log int64) int64 {
	if m.knots == 0 {
		return log
	}
	at := (band*Variables + variable) * m.knots
	from, to := m.From[at:at+m.knots], m.To[at:at+m.knots]
	const finer = fixed.LogBits - KnotBits
	place := log >> finer
	low := sort.Search(len(from), func(i int) bool { return from[i] >= place })
	high := sort.Search(len(from), func(i int) bool { return from[i] > place })
	switch {
	case high > low:
		return to[(low+high-1)/2] << finer
	case low == 0:
		return to[0] << finer
	case low == len(from):
		return to[len(to)-1] << finer
	}
	return to[low-1]<<finer + (log-from[low-1]<<finer)*(to[low]-to[low-1])/(from[low]-from[low-1])
}

// number rounds the number that has a logarithm half up.
func number(log int64) int64 { return (fixed.Exp2(log) + fixed.One/2) >> 16 }
