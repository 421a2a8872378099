package chart

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is drawn. A curve has at most 32 points by the rules, and any other sweep at most 1,000.
const (
	maxPoints   = 1000
	maxOverlays = 4 // each has a line pattern of its own
	maxRegions  = 16
	maxItems    = 48    // verdicts or facts of a point, or notes
	maxText     = 400   // runes, then an ellipsis
	maxNumber   = 1e12  // larger figures are a mistake of the caller
	maxUsers    = 1e6   // concurrency
	minNumber   = 1e-12 // what is smaller counts as none
)

// check names everything in c that cannot be drawn.
func check(c Curve) error {
	var errs []error
	bad := func(at string, n, most int) {
		if n > most {
			errs = append(errs, fmt.Errorf("%s: %d; want at most %d", at, n, most))
		}
	}
	bad("notes", len(c.Notes), maxItems)
	bad("regions", len(c.Regions), maxRegions)
	bad("overlays", len(c.Overlays), maxOverlays)
	for i, r := range c.Regions {
		if r.First < 1 || r.First > maxUsers || r.Last > maxUsers {
			errs = append(errs, fmt.Errorf("regions[%d]: %d to %d; want concurrencies from 1 to %d", i, r.First, r.Last, int(maxUsers)))
		}
	}
	points := func(at string, all []Point) {
		bad(at, len(all), maxPoints)
		for i, p := range all {
			if p.Concurrency < 1 || p.Concurrency > maxUsers {
				errs = append(errs, fmt.Errorf("%s[%d].concurrency: %d; want 1 to %d", at, i, p.Concurrency, int(maxUsers)))
			}
			bad(fmt.Sprintf("%s[%d].verdicts", at, i), len(p.Verdicts), maxItems)
			bad(fmt.Sprintf("%s[%d].facts", at, i), len(p.Facts), maxItems)
		}
	}
	points("points", c.Points)
	for i, o := range c.Overlays {
		points(fmt.Sprintf("overlays[%d].points", i), o.Points)
	}
	return errors.Join(errs...)
}

// clean is c with every text fit to be shown: one line, nothing invisible, no endless names.
func clean(c Curve) Curve {
	c.Title = plain(c.Title)
	c.X, c.Y = Axis{plain(c.X.Name), plain(c.X.Unit)}, Axis{plain(c.Y.Name), plain(c.Y.Unit)}
	c.Notes = each(c.Notes, plain)
	c.Regions = each(c.Regions, func(r Region) Region { r.Name = plain(r.Name); return r })
	c.Points = each(c.Points, cleanPoint)
	c.Overlays = each(c.Overlays, func(o Overlay) Overlay {
		return Overlay{plain(o.Name), each(o.Points, cleanPoint)}
	})
	return c
}

func cleanPoint(p Point) Point {
	p.Missing, p.Region = plain(p.Missing), plain(p.Region)
	p.Verdicts = each(p.Verdicts, func(v Verdict) Verdict { return Verdict{plain(v.Name), v.Passed, plain(v.Text)} })
	p.Facts = each(p.Facts, func(f Fact) Fact { return Fact{plain(f.Name), plain(f.Value)} })
	return p
}

func each[T any](all []T, f func(T) T) []T {
	out := make([]T, len(all))
	for i, v := range all {
		out[i] = f(v)
	}
	return out
}

// plain drops what cannot be seen or turns text around, and cuts what is too long.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, s)
	return cut(strings.Join(strings.Fields(s), " "), maxText)
}

// cut leaves at most n runes.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:max(n-1, 0)]), " ") + "…"
}

// undrawable says why a point has no place in the drawing; it is empty where it has one.
func undrawable(p Point, x, y Axis) string {
	for _, f := range []struct {
		axis  Axis
		value *float64
	}{{x, p.X}, {y, p.Y}} {
		switch {
		case f.value == nil && p.Missing != "":
			return "no " + f.axis.Name + ": " + p.Missing
		case f.value == nil:
			return "no " + f.axis.Name
		case !fits(*f.value):
			return f.axis.Name + " is no figure that can be drawn"
		}
	}
	return ""
}

// fits is false for NaN, infinities and figures outside of the limits.
func fits(v float64) bool { return v >= 0 && v <= maxNumber && !math.IsNaN(v) }
