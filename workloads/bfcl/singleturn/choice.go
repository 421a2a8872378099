package singleturn

import (
	"strconv"
	"strings"

	"paceline/workloads/bfcl/category"
	"paceline/workloads/bfcl/question"
	"paceline/workloads/options"
	"paceline/workloads/rawjson"
)

// choice says which questions are asked, and how.
type choice struct {
	only   map[string]bool // categories and groups; empty: all
	draw   category.Draw
	first  uint64 // of each category; 0: all
	hinted bool
}

func readChoice(config []byte) (choice, error) {
	r := options.Read(config, "categories", "draw", "first_each", "descriptions")
	c := choice{only: map[string]bool{}, first: r.Count("first_each")}
	if r.Choice("draw", "all", "mlperf-edge") == "mlperf-edge" {
		c.draw = category.MLPerfEdge
	}
	c.hinted = r.Choice("descriptions", "hinted", "plain") == "hinted"
	if rawjson.Valid(config) == nil {
		c.readCategories(r, rawjson.Value(config[rawjson.Space(config, 0):]).Get("categories"))
	}
	return c, r.Err()
}

func (c *choice) readCategories(r *options.Reader, list rawjson.Value) {
	groups := []string{string(category.NonLive), string(category.Live), string(category.Hallucination)}
	expected := "one of " + strings.Join(append(groups, category.Names()...), ", ")
	if !list.Missing() && (list.Kind() != rawjson.Array || list.Empty()) {
		r.Fault("/categories", "option-type", "a list of one category at least", "categories is %s", list)
	}
	list.Each(func(i int, v rawjson.Value) bool {
		name, _ := v.Text()
		known := category.Index(name) >= 0
		for _, group := range groups {
			known = known || name == group
		}
		if !known {
			r.Fault("/categories/"+strconv.Itoa(i), "option-choice", expected, "there is no category %s", v)
		}
		c.only[name] = true
		return true
	})
}

func (c *choice) takes(k *category.Category) bool {
	return len(c.only) == 0 || c.only[k.Name] || c.only[string(k.Group)]
}

// choose gives the places of the questions that are asked, in file order.
func (c *choice) choose(entries []question.Entry) []int {
	total := make([]int, len(category.All))
	for i := range entries {
		total[entries[i].Category]++
	}
	room := make([]int, len(category.All))
	for i := range category.All {
		if k := &category.All[i]; c.takes(k) && total[i] > 0 {
			room[i] = c.draw.Take(k, total[i])
			if c.first > 0 {
				room[i] = int(min(uint64(room[i]), c.first))
			}
		}
	}
	var chosen []int
	for i := range entries {
		if k := entries[i].Category; room[k] > 0 {
			room[k]--
			chosen = append(chosen, i)
		}
	}
	return chosen
}
