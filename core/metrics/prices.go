package metrics

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
)

// PriceList is a price file (schemas/price/v1) as a run keeps it. Amounts are decimal numbers as text, so that none is rounded.
type PriceList struct {
	Schema   string `json:"schema,omitempty"`
	Currency string `json:"currency,omitempty"`
	Date     string `json:"date,omitempty"`
	// By the hour.
	AcceleratorHour string `json:"accelerator_hour,omitempty"` // of one accelerator
	Accelerators    int    `json:"accelerators,omitempty"`     // 0: those of the target
	KWh             string `json:"kwh,omitempty"`
	Watts           string `json:"watts,omitempty"` // of the whole system, under load
	PUE             string `json:"pue,omitempty"`   // power usage effectiveness of the site; 1 where not given
	// By the million tokens.
	Input       string `json:"input,omitempty"`
	CachedInput string `json:"cached_input,omitempty"` // the input's where not given
	Output      string `json:"output,omitempty"`
}

// PriceSchema is the name and version of price files.
const PriceSchema = "price/v1"

// Given reports whether there is a price list at all.
func (l *PriceList) Given() bool { return *l != PriceList{} }

var (
	amountForm   = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,9})?(e-0?[1-9])?$`)
	currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
	dayForm      = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
)

// Prices are the prices of a target with so many accelerators, 0: not told. Every fault is named with its key.
func (l *PriceList) Prices(accelerators int) (*Prices, error) {
	r := priceReader{}
	r.fault(l.Schema != PriceSchema, "schema: %q; want %s", l.Schema, PriceSchema)
	r.fault(!currencyForm.MatchString(l.Currency), "currency: %q; want three letters, e.g. EUR", l.Currency)
	r.fault(!dayForm.MatchString(l.Date), "date: %q; want the day of the prices, YYYY-MM-DD", l.Date)
	p := &Prices{Currency: l.Currency, Date: l.Date}
	hourly, tokens := l.AcceleratorHour != "", l.Output != "" || l.Input != ""
	switch {
	case hourly == tokens:
		r.fault(true, "give accelerator_hour, or input and output, and not both")
	case hourly:
		p.Hour = l.hour(&r, accelerators)
	default:
		p.Tokens = l.tokens(&r)
	}
	r.fault(!hourly && (l.Accelerators != 0 || l.KWh+l.Watts+l.PUE != ""), "accelerators, kwh, watts and pue belong to accelerator_hour")
	r.fault(!tokens && l.CachedInput != "", "cached_input: belongs to input and output")
	return p, errors.Join(r.errs...)
}

// hour is what an hour of all accelerators costs: (accelerators * price) + (watts / 1000 * pue * price of a kWh).
func (l *PriceList) hour(r *priceReader, told int) Nano {
	n := l.Accelerators
	if n == 0 {
		n = told
	}
	r.fault(n < 1 || n > 1_000_000, "accelerators: %d; give them here or as target.accelerators", n)
	r.fault(told > 0 && n != told, "accelerators: %d, and target.accelerators is %d", n, told)
	r.fault((l.KWh == "") != (l.Watts == ""), "kwh and watts go together: a price of energy and how much is drawn")
	r.fault(l.PUE != "" && l.KWh == "", "pue: belongs to kwh and watts")
	sum := new(big.Rat).Mul(ratio(int64(n)), r.amount("accelerator_hour", l.AcceleratorHour))
	if l.KWh != "" {
		energy := new(big.Rat).Mul(r.amount("kwh", l.KWh), r.amount("watts", l.Watts))
		if l.PUE != "" {
			energy.Mul(energy, r.amount("pue", l.PUE))
		}
		sum.Add(sum, energy.Quo(energy, ratio(1000)))
	}
	return nano(sum)
}

func (l *PriceList) tokens(r *priceReader) *TokenPrices {
	p := &TokenPrices{Input: nano(r.amount("input", l.Input)), Output: nano(r.amount("output", l.Output))}
	if l.CachedInput != "" {
		cached := nano(r.amount("cached_input", l.CachedInput))
		p.Cached = &cached
	}
	return p
}

// nano rounds an amount to billionths, the half up.
func nano(amount *big.Rat) Nano {
	scaled := new(big.Rat).Mul(amount, ratio(1_000_000_000))
	scaled.Add(scaled, big.NewRat(1, 2))
	whole := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	if !whole.IsInt64() {
		return math.MaxInt64
	}
	return Nano(whole.Int64())
}

// priceReader reads amounts and keeps what is wrong.
type priceReader struct{ errs []error }

func (r *priceReader) fault(bad bool, format string, args ...any) {
	if bad {
		r.errs = append(r.errs, fmt.Errorf(format, args...))
	}
}

func (r *priceReader) amount(key, text string) *big.Rat {
	if amountForm.MatchString(text) {
		if v, ok := new(big.Rat).SetString(text); ok {
			return v
		}
	}
	r.fault(true, "%s: %q is no amount; want a decimal number below 1e9 with at most nine decimals", key, text)
	return new(big.Rat)
}
