package lax

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Plain scalars of YAML 1.1, as its readers resolve them. The YAML package reads 1.2 with a few of these, hence our own.
var (
	yamlBool  = regexp.MustCompile(`^(yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`)
	yamlNull  = regexp.MustCompile(`^(~|null|Null|NULL|)$`)
	yamlInt   = regexp.MustCompile(`^[-+]?(0b[0-1_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(:[0-5]?[0-9])+)$`)
	yamlFloat = regexp.MustCompile(`^([-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?|` +
		`[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	yamlDate = regexp.MustCompile(`^(\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?([Tt]|[ \t]+)\d\d?:\d\d:\d\d(\.\d*)?([ \t]*(Z|[-+]\d\d?(:\d\d)?))?)$`)
)

func scalar(n *yaml.Node) (*Value, error) {
	if n.Style&yaml.TaggedStyle != 0 {
		return tagged(n)
	}
	if !plain(n) {
		return &Value{Kind: Text, Text: n.Value}, nil
	}
	switch s := n.Value; {
	case yamlNull.MatchString(s):
		return &Value{}, nil
	case yamlBool.MatchString(s):
		return boolean(s), nil
	case yamlInt.MatchString(s):
		return integer(n)
	case yamlFloat.MatchString(s):
		return float(s), nil
	case yamlDate.MatchString(s):
		return date(n)
	case s == "=" || s == "<<":
		return nil, fault(n, "%s stands for nothing here; put it in quotes", s)
	}
	return &Value{Kind: Text, Text: n.Value}, nil
}

// tagged reads a scalar whose type is given.
func tagged(n *yaml.Node) (*Value, error) {
	s := n.Value
	switch tag := n.ShortTag(); {
	case tag == "!!str" || n.Tag == "!":
		return &Value{Kind: Text, Text: s}, nil
	case tag == "!!null" && yamlNull.MatchString(s):
		return &Value{}, nil
	case tag == "!!bool" && yamlBool.MatchString(s):
		return boolean(s), nil
	case tag == "!!int" && yamlInt.MatchString(s):
		return integer(n)
	case tag == "!!float" && yamlInt.MatchString(s):
		v, err := integer(n)
		if err != nil {
			return nil, err
		}
		f, _ := v.Number()
		return &Value{Kind: Float, Float: f}, nil
	case tag == "!!float" && yamlFloat.MatchString(s):
		return float(s), nil
	case tag == "!!timestamp" && yamlDate.MatchString(s):
		return date(n)
	}
	return nil, fault(n, "the tag %s does not go with %q", n.Tag, clip(s))
}

func boolean(s string) *Value {
	switch strings.ToLower(s) {
	case "yes", "true", "on":
		return &Value{Kind: Bool, Bool: true}
	}
	return &Value{Kind: Bool}
}

func integer(n *yaml.Node) (*Value, error) {
	s := strings.ReplaceAll(n.Value, "_", "")
	if len(s) > maxDigits {
		return nil, fault(n, "an integer of more than %d digits", maxDigits)
	}
	body, negative := strings.TrimLeft(s, "+-"), strings.HasPrefix(s, "-")
	v, ok := new(big.Int), true
	switch {
	case strings.Contains(body, ":"):
		v, ok = sixties(body)
	case strings.HasPrefix(body, "0b"):
		v, ok = v.SetString(body[2:], 2)
	case strings.HasPrefix(body, "0x"):
		v, ok = v.SetString(body[2:], 16)
	case len(body) > 1 && body[0] == '0':
		v, ok = v.SetString(body, 8)
	default:
		v, ok = v.SetString(body, 10)
	}
	if !ok {
		return nil, fault(n, "%q is no integer", clip(n.Value))
	}
	if negative {
		v.Neg(v)
	}
	return &Value{Kind: Int, Int: v}, nil
}

// sixties reads 1:30 as 90.
func sixties(s string) (*big.Int, bool) {
	sum := new(big.Int)
	for part := range strings.SplitSeq(s, ":") {
		digit, ok := new(big.Int).SetString(part, 10)
		if !ok {
			return nil, false
		}
		sum.Add(sum.Mul(sum, big.NewInt(60)), digit)
	}
	return sum, true
}

func float(s string) *Value {
	s = strings.ToLower(strings.ReplaceAll(s, "_", ""))
	sign := 1.0
	if strings.HasPrefix(s, "-") {
		sign = -1
	}
	body := strings.TrimLeft(s, "+-")
	f := 0.0
	switch body {
	case ".inf":
		f = math.Inf(1)
	case ".nan":
		f = math.NaN()
	default:
		for part := range strings.SplitSeq(body, ":") {
			digit, _ := strconv.ParseFloat(part, 64)
			f = float64(f*60) + digit
		}
	}
	return &Value{Kind: Float, Float: sign * f}
}

func date(n *yaml.Node) (*Value, error) {
	day := n.Value
	if at := strings.IndexAny(day, "Tt \t"); at > 0 {
		day = day[:at]
	}
	if _, err := time.Parse("2006-1-2", day); err != nil {
		return nil, fault(n, "%q is no date", clip(n.Value))
	}
	return &Value{Kind: Date, Text: n.Value}, nil
}
