package main

import (
	"fmt"
	"math"
)

// Interval is a mean and the 95 % confidence interval around it.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// String implements fmt.Stringer: the mean, and half of the interval.
func (i Interval) String() string { return fmt.Sprintf("%.1f ± %.1f", i.Mean, (i.High-i.Low)/2) }

// interval is the mean of values and its 95 % confidence interval by Student's distribution; of one value, that value alone.
func interval(values []float64) Interval {
	n := float64(len(values))
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if n < 2 {
		return Interval{mean, mean, mean}
	}
	half := student(len(values)-1) * math.Sqrt(squares/(n-1)/n)
	return Interval{mean, mean - half, mean + half}
}

// student is the 97.5 % quantile of Student's distribution; between the entries of the table, of fewer degrees.
func student(degrees int) float64 {
	table := [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086}
	return table[min(degrees, len(table))-1]
}
