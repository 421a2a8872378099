package frame

import (
	"slices"
	"strings"

	"paceline/sdk"
)

// formatLabel tells in each trajectory of which format it was read; the normal form keeps the one that it has.
const formatLabel = "format"

func withFormat(list []sdk.Label, name string) []sdk.Label {
	at, found := slices.BinarySearchFunc(list, formatLabel, func(l sdk.Label, key string) int { return strings.Compare(l.Key, key) })
	if found || name == "trajectory" {
		return list
	}
	return slices.Insert(list, at, sdk.Label{Key: formatLabel, Value: name})
}
