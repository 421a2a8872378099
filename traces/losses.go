package traces

import (
	"regexp"
	"strconv"
)

// quoted is a text in quotes as Go and JSON write it: what a loss tells of the file itself, such as the name of a field.
var quoted = regexp.MustCompile(` ?"(?:[^"\\]|\\.)*",? ?`)

// counted is a loss that ends in how often it was met.
var counted = regexp.MustCompile(`^(.*): ([0-9]{1,18})$`)

// AnonymousLosses gives losses without what they quote of the file. Those that are equal then become one, with their sum.
func AnonymousLosses(losses []string) []string {
	var out []string
	at, sums := map[string]int{}, map[string]int64{}
	for _, loss := range losses {
		text := quoted.ReplaceAllString(loss, " ")
		n := int64(1)
		if m := counted.FindStringSubmatch(text); m != nil {
			text = m[1]
			n, _ = strconv.ParseInt(m[2], 10, 64) // as many digits as fit
		} else {
			text = "a loss whose text is not told, since it may hold text of the file"
		}
		if _, known := sums[text]; !known {
			at[text] = len(out)
			out = append(out, "")
		}
		sums[text] += n
		out[at[text]] = text + ": " + strconv.FormatInt(sums[text], 10)
	}
	return out
}
