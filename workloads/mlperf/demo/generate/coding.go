package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// task is one fault that a developer wants to have mended.
type task struct {
	id, folder, file, name, symptom, cause, mend string
	looks                                        int // extra looks before the change
}

var tasks = []task{
	{"routing__stops-204", "routing", "stops.py", "merge_stops", "Two stops at the same house are driven to twice when the second one carries a flat number.", "the key of the stop holds the whole address line, flat number included", "build the key from street, number and post code alone", 1},
	{"labels__width-31", "labels", "layout.py", "wrap_name", "Names with a combining accent overflow the label by one column.", "the width counts code points instead of columns", "count the columns of each character and skip combining marks", 0},
	{"tariff__zones-88", "tariff", "zones.py", "zone_of", "A parcel to an island is priced as mainland since the table was sorted.", "the lookup takes the first prefix that fits, and the shorter prefix now stands first", "take the longest prefix that fits", 2},
	{"scanner__retry-7", "scanner", "uplink.py", "flush", "After a lost connection the last scan of a tour is sent twice.", "the buffer is cleared only after the reply was read", "mark each scan with a number and drop what was acknowledged", 3},
	{"customs__rounding-19", "customs", "forms.py", "total_value", "The sum on the customs form differs by a cent from the sum of its lines.", "each line is rounded and the total is rounded again from raw values", "sum the rounded lines", 1},
	{"depot__shifts-52", "depot", "shifts.py", "overlap", "A shift that ends at midnight overlaps with the whole next day.", "the end of the shift is turned into 00:00 of the same day", "treat midnight as the end of the day it closes", 2},
	{"notices__quiet-12", "notices", "quiet.py", "is_quiet", "Customers get text messages at night when the clock changes.", "the quiet hours are compared in the local time of the server", "convert to the customer's zone before the comparison", 0},
	{"search__typo-145", "search", "match.py", "distance", "The search for a street finds nothing when two letters are swapped.", "a swap counts as two edits and the limit is one", "count a swap of neighbours as one edit", 4},
	{"invoice__batch-66", "invoice", "batch.py", "group", "The last group of the monthly batch is missing when the count divides evenly.", "the loop ends one step early where the remainder is zero", "step through the list by the group size and slice", 1},
	{"fleet__range-23", "fleet", "range.py", "remaining", "Vans report a negative range in the cold.", "the loss by temperature is subtracted without a floor", "clamp the result at zero", 2},
	{"archive__dates-9", "archive", "dates.py", "parse", "Old records with a two digit year land in the future.", "the pivot year is taken from today instead of from the record", "take the pivot from the year of the archive", 0},
	{"gateway__limits-301", "gateway", "limits.py", "allow", "One busy client slows all others down.", "the bucket is shared by all keys, since the default argument is one object", "make a bucket for each key", 3},
}

// step is one look or change: what the assistant thinks, runs and sees.
type step struct {
	thought  string
	commands []string
	outputs  []string
}

// coding plays one task.
func coding(r *rand.Rand, t task) []row {
	rows := []row{{ID: t.id, Role: "user", Content: fmt.Sprintf(
		"I am a developer. In %s/%s: %s\nPlease find out why, mend it in a way that fits the code around it, and run the tests of the folder. The function that I suspect is %s, but do look for yourself.",
		t.folder, t.file, t.symptom, t.name)}}
	for n, s := range plan(r, t) {
		answer := row{Role: "assistant", Content: s.thought, Reasoning: reason(r, t, n)}
		answers := row{Role: "tool", Delay: pause(r)}
		for i, command := range s.commands {
			id := fmt.Sprintf("call_%d_%d", n, i)
			arguments, _ := json.Marshal(map[string]string{"command": command})
			answer.ToolCalls = append(answer.ToolCalls, call{id, "function", function{"bash", string(arguments)}})
			answers.ToolResults = append(answers.ToolResults, result{id, s.outputs[i]})
		}
		rows = append(rows, answer, answers)
	}
	return append(rows, row{Role: "assistant", Content: fmt.Sprintf(
		"The cause: %s. I changed %s in %s/%s to %s. The test of the fault passes now, and so do the others of the folder; nothing else was touched.",
		t.cause, t.name, t.folder, t.file, t.mend)})
}

// plan gives the steps of a task: find, read, some looks, show the fault, change, test.
func plan(r *rand.Rand, t task) []step {
	path := t.folder + "/" + t.file
	test := t.folder + "/test_" + t.file
	steps := []step{{
		"First I look where the function lives and who calls it.",
		[]string{"ls -la " + t.folder, fmt.Sprintf("grep -rn \"%s\" --include='*.py' . | head -20", t.name)},
		[]string{listing(r, t), uses(r, t)},
	}, {
		"Now the function itself.",
		[]string{fmt.Sprintf("sed -n '%d,%dp' %s", 20+r.IntN(40), 90+r.IntN(40), path)},
		[]string{source(r, t)},
	}}
	for range t.looks {
		steps = append(steps, look(r, t))
	}
	return append(steps, step{
		"I take it that " + t.cause + ". I run the test to see it fail.",
		[]string{"cd /srv/code && python3 -m pytest -q " + test + " | tail -25"},
		[]string{failure(r, t)},
	}, step{
		"That shows it. I will " + t.mend + ", and run the folder's tests at once.",
		[]string{fmt.Sprintf("sed -i 's/^    key = .*/    key = %s_key(item)/' %s && git diff --stat && python3 -m pytest -q %s | tail -3", t.name, path, t.folder)},
		[]string{fmt.Sprintf(" %s | %d %s\n 1 file changed, %d insertions(+), %d deletions(-)\n%d passed in 0.%02ds\n", path, 5, "+++--", 3, 2, 14+r.IntN(30), 10+r.IntN(80))},
	})
}

func look(r *rand.Rand, t task) step {
	return pick(r, []func() step{
		func() step {
			return step{"When did this change last?", []string{"git log --oneline -8 -- " + t.folder + "/" + t.file}, []string{history(r, t)}}
		},
		func() step {
			return step{"What do the tests say about this?", []string{fmt.Sprintf("cat %s/test_%s | grep -n 'def test' | sort", t.folder, t.file)}, []string{testNames(r, t)}}
		},
		func() step {
			return step{"I look at what the callers hand over.", []string{fmt.Sprintf("grep -n -B2 -A6 '%s(' %s/plan.py", t.name, t.folder), "wc -l " + t.folder + "/*.py"}, []string{caller(r, t), counts(r, t)}}
		},
	})()
}

func reason(r *rand.Rand, t task, n int) string {
	return pick(r, []string{
		"The report names " + t.name + ". I should not trust that, and read on.",
		"One look at a time. What matters is which value arrives in " + t.folder + "/" + t.file + ".",
		"The symptom fits a wrong key or a wrong order. Both would show in the next output.",
	}) + strings.Repeat(" I keep the change small.", n%2)
}
