package stats

import (
	"errors"
	"math/big"
	"strings"
)

// ErrShare is why a text cannot be read as a share.
var ErrShare = errors.New("is no share between 0% and 100%: write e.g. 5% or 0.05")

// ParseShare reads a share such as 20%, 12.5% or 0.2, in millionths rounded down.
func ParseShare(text string) (int64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	number = strings.TrimSpace(number)
	if len(number) > 32 || strings.Trim(number, "0123456789.") != "" { // no exponents, fractions or other bases
		return 0, ErrShare
	}
	f, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, ErrShare
	}
	scale := int64(1_000_000)
	if percent {
		scale = 10_000
	}
	f.Mul(f, new(big.Rat).SetInt64(scale))
	n := new(big.Int).Quo(f.Num(), f.Denom())
	if f.Sign() < 0 || n.Cmp(big.NewInt(1_000_000)) > 0 {
		return 0, ErrShare
	}
	return n.Int64(), nil
}
