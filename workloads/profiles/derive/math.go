package main

import (
	"cmp"
	"math"
	"slices"
)

// scores gives each value the quantile of the normal distribution at its rank; equal values share the middle of theirs.
func scores(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(values[a], values[b]), a-b) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		p := float64(from+to) / 2 / float64(len(order))
		for _, i := range order[from:to] {
			out[i] = math.Sqrt2 * math.Erfinv(2*p-1)
		}
		from = to
	}
	return out
}

// line is a regression: one coefficient for each regressor, and the standard deviation of what is left.
type line struct {
	slopes []float64
	noise  float64
}

// ridge keeps coefficients of regressors that hardly vary near 0.
const ridge = 3

// regress fits y by x, whose rows are the observations.
func regress(x [][]float64, y []float64) line {
	if len(x) == 0 {
		return line{}
	}
	n := len(x[0])
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n+1)
		a[i][i] = ridge
	}
	for k, row := range x {
		for i := range row {
			for j := range row {
				a[i][j] += row[i] * row[j]
			}
			a[i][n] += row[i] * y[k]
		}
	}
	slopes := solve(a)
	left := make([]float64, len(y))
	for k, row := range x {
		left[k] = y[k]
		for i, v := range row {
			left[k] -= slopes[i] * v
		}
	}
	_, noise := moments(left)
	return line{slopes, noise}
}

// solve solves the positive definite system whose last column is the right side.
func solve(a [][]float64) []float64 {
	n := len(a)
	for i := range n {
		for k := i + 1; k < n; k++ {
			f := a[k][i] / a[i][i]
			for j := i; j <= n; j++ {
				a[k][j] -= f * a[i][j]
			}
		}
	}
	out := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = a[i][n]
		for j := i + 1; j < n; j++ {
			out[i] -= a[i][j] * out[j]
		}
		out[i] /= a[i][i]
	}
	return out
}

// moments gives mean and standard deviation.
func moments(list []float64) (mean, deviation float64) {
	for _, v := range list {
		mean += v
	}
	mean /= float64(len(list))
	for _, v := range list {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(list)))
}

// fixedPoint writes a number with 16 binary places.
func fixedPoint(v float64) int64 { return int64(math.Round(v * (1 << 16))) }
