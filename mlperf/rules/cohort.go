package rules

import (
	"fmt"
	"regexp"
	"strconv"
)

// Cohort is a round of submissions: 2026-10-C1 is the one of the third Wednesday of October 2026, C0 that of the first.
type Cohort struct{ Year, Month, Half int }

var cohortForm = regexp.MustCompile(`^(\d{4})-(0[1-9]|1[0-2])-C([01])$`)

// ParseCohort reads YYYY-MM-C0 or YYYY-MM-C1.
func ParseCohort(text string) (Cohort, error) {
	m := cohortForm.FindStringSubmatch(text)
	if m == nil {
		return Cohort{}, fmt.Errorf("%q is no cohort; want YYYY-MM-C0 or YYYY-MM-C1, e.g. 2026-12-C0", text)
	}
	var c Cohort
	for i, to := range []*int{&c.Year, &c.Month, &c.Half} {
		*to, _ = strconv.Atoi(m[i+1])
	}
	return c, nil
}

// String is the cohort as files spell it.
func (c Cohort) String() string { return fmt.Sprintf("%04d-%02d-C%d", c.Year, c.Month, c.Half) }

// number counts cohorts from the year 0.
func (c Cohort) number() int { return (c.Year*12+c.Month-1)*2 + c.Half }

// Since is how many cohorts c comes after other.
func (c Cohort) Since(other Cohort) int { return c.number() - other.number() }

// Plus is the cohort n later.
func (c Cohort) Plus(n int) Cohort {
	all := c.number() + n
	return Cohort{Year: all / 24, Month: all/2%12 + 1, Half: all % 2}
}

// MarshalText implements encoding.TextMarshaler.
func (c Cohort) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Cohort) UnmarshalText(text []byte) (err error) {
	*c, err = ParseCohort(string(text))
	return err
}
