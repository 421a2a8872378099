package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"paceline/sdk"
	"paceline/sdk/lines"
)

// instances are the ids that are evaluated, in the order of the input.
type instances []string

const (
	maxRow = 8 << 20 // bytes of one row
	maxID  = 200
)

// readInstances takes the ids of the first rows, as the rules ask.
func readInstances(r io.ReaderAt, size int64, want int) (instances, error) {
	var all instances
	seen := map[string]bool{}
	s := lines.New(r, size)
	s.MaxLine = maxRow
	for len(all) < want && s.Scan() {
		var row struct {
			ID string `json:"instance_id"`
		}
		fault := sdk.Fault{Input: inputName, Line: s.Line()}
		switch err := json.Unmarshal(s.Bytes(), &row); {
		case err != nil:
			fault.Code, fault.Message, fault.Expected = "bad-json", err.Error(), "a JSON object on each line"
		case !plain(row.ID, maxID):
			fault.Code, fault.Pointer, fault.Message = "bad-id", "/instance_id", "no id of an instance"
			fault.Expected = "letters, digits, dots, hyphens and underscores, at most 200"
		case seen[row.ID]:
			fault.Code, fault.Pointer, fault.Message, fault.Expected = "duplicate-id", "/instance_id", row.ID+" stands here twice", "each instance once"
		default:
			seen[row.ID] = true
			all = append(all, row.ID)
			continue
		}
		return nil, sdk.Faults{fault}
	}
	if err := s.Err(); err != nil {
		return nil, sdk.Faults{{Input: inputName, Line: s.Line() + 1, Code: "bad-line", Message: err.Error(), Expected: "rows of at most 8 MiB"}}
	}
	if len(all) < want {
		return nil, sdk.Faults{{Input: inputName, Pointer: "/num_instances", Code: "too-few",
			Message: fmt.Sprintf("%d instances are wanted, and the input has %d", want, len(all)), Expected: "the whole data set, or a smaller num_instances"}}
	}
	return all, nil
}

// plain reports whether a name is made of what names of files and paths of URLs can safely hold.
func plain(name string, most int) bool {
	if name == "" || len(name) > most || strings.Contains(name, "..") {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && (c != '-' && c != '.' || i == 0) {
			return false
		}
	}
	return true
}

// digest is the SHA-256 of the ids, each with a line feed behind it.
func (all instances) digest() string {
	h := sha256.New()
	for _, id := range all {
		_, _ = io.WriteString(h, id+"\n") // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// group is the repository of an instance: django__django-11099 is one of django/django.
func group(id string) string {
	if i := strings.LastIndexByte(id, '-'); i > 0 {
		id = id[:i]
	}
	return strings.Replace(id, "__", "/", 1)
}
