package cache_test

import (
	"testing"

	"paceline/sweep/cache"
)

// TestAnd: one target that kept something is enough, and what was found adds up.
func TestAnd(t *testing.T) {
	var all *cache.Verdict
	for _, v := range []cache.Verdict{
		{State: cache.Empty, Method: cache.ByTokens, Probes: 4, Prompt: 100},
		{State: cache.CarriedOver, Method: cache.ByTime, Probes: 2, Prompt: 50, Cached: 40, Reason: "found"},
		{State: cache.NotProvable, Probes: 1, Reason: "no answer"},
	} {
		v.Of("b")
		all = all.And(&v)
	}
	if all.State != cache.CarriedOver || all.Method != cache.ByTime || all.Reason != "target b: found" || all.Probes != 7 || all.Prompt != 150 || all.Cached != 40 {
		t.Errorf("%+v", *all)
	}
}
