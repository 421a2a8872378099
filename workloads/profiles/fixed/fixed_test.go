package fixed

import (
	"math"
	"testing"
)

// TestNormal holds the table against the error function.
func TestNormal(t *testing.T) {
	for u := uint64(0); u < 1<<32; u += 1<<19 + 12345 {
		z := float64(Normal(uint32(u))) / One
		got := math.Erfc(-z/math.Sqrt2) / 2
		want := (float64(u) + 0.5) / (1 << 32)
		if tail := min(want, 1-want); math.Abs(got-want) > 0.002*tail {
			t.Fatalf("the quantile at %v is %v, whose probability is %v", want, z, got)
		}
	}
	if Normal(0) != -Normal(math.MaxUint32) || Normal(0) > -6*One {
		t.Errorf("the ends are %d and %d", Normal(0), Normal(math.MaxUint32))
	}
}

func TestNormalRises(t *testing.T) {
	last := Normal(0)
	for u := uint64(0); u < 1<<32; u += 1 << 16 {
		if z := Normal(uint32(u)); z < last {
			t.Fatalf("Normal(%d) = %d is below the one before, %d", u, z, last)
		} else {
			last = z
		}
	}
}

func TestBelow(t *testing.T) {
	for z := -8.0; z <= 8; z += 0.0137 {
		got := float64(Below(int64(math.Round(z*One)))) / (1 << 32)
		if want := math.Erfc(-z/math.Sqrt2) / 2; math.Abs(got-want) > 1e-5 {
			t.Fatalf("below %v lies %v, want %v", z, got, want)
		}
	}
}

func TestLogAndPower(t *testing.T) {
	for _, n := range []uint64{0, 1, 2, 3, 7, 100, 6342, 134492, 1 << 40, math.MaxUint64} {
		got := float64(Log2(n)) / (1 << LogBits)
		if want := math.Log2(float64(max(n, 1))); math.Abs(got-want) > 1e-6 {
			t.Errorf("Log2(%d) is %v, want %v", n, got, want)
		}
	}
	for p := -15.0; p < 40; p += 0.377 {
		got := float64(Exp2(int64(p*(1<<LogBits)))) / One
		if want := math.Exp2(p); math.Abs(got-want) > 2e-5+1e-6*want {
			t.Errorf("Exp2(%v) is %v, want %v", p, got, want)
		}
	}
	if Exp2(-17<<LogBits) != 0 || Exp2(1000<<LogBits) != 1<<56 {
		t.Error("Exp2 has no bounds")
	}
}

func TestSqrt(t *testing.T) {
	for _, n := range []uint64{0, 1, 2, 3, 4, 15, 16, 17, 1 << 32, 1<<62 - 1, math.MaxUint64} {
		got := Sqrt(n)
		if got*got > n || got < math.MaxUint32 && (got+1)*(got+1) <= n {
			t.Errorf("Sqrt(%d) is %d", n, got)
		}
	}
}
