package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The functions here make up what commands print.

func listing(r *rand.Rand, t task) string {
	var b strings.Builder
	fmt.Fprintf(&b, "total %d\n", 40+4*r.IntN(20))
	for _, name := range []string{"__init__.py", t.file, "plan.py", "store.py", "test_" + t.file, "test_plan.py"} {
		fmt.Fprintf(&b, "-rw-r--r-- 1 dev dev %6d Mar %2d %02d:%02d %s\n", 120+r.IntN(9000), 1+r.IntN(28), r.IntN(24), r.IntN(60), name)
	}
	return b.String()
}

func uses(r *rand.Rand, t task) string {
	var b strings.Builder
	fmt.Fprintf(&b, "./%s/%s:%d:def %s(items, *, strict=False):\n", t.folder, t.file, 30+r.IntN(30), t.name)
	for range 2 + r.IntN(4) {
		place := pick(r, []string{t.folder + "/plan.py", t.folder + "/test_" + t.file, "api/handlers.py", "jobs/nightly.py"})
		fmt.Fprintf(&b, "./%s:%d:    %s = %s(%s)\n", place, 10+r.IntN(300), pick(r, []string{"out", "found", "rows", "value"}), t.name, pick(r, []string{"items", "batch", "rows, strict=True", "self.items"}))
	}
	return b.String()
}

func source(r *rand.Rand, t task) string {
	var b strings.Builder
	fmt.Fprintf(&b, "def %s(items, *, strict=False):\n    \"\"\"See the notes in %s/README.\"\"\"\n    seen = {}\n    for item in items:\n        key = item.%s\n", t.name, t.folder, pick(r, []string{"line", "name", "value", "raw"}))
	for i := range 4 + r.IntN(6) {
		fmt.Fprintf(&b, "        if item.%s %s %d:\n            seen.setdefault(key, []).append(item.%s)\n",
			pick(r, []string{"weight", "zone", "kind", "age", "rank"}), pick(r, []string{"<", ">", "==", "<="}), i*10+r.IntN(10), pick(r, []string{"id", "stamp", "owner", "code"}))
	}
	fmt.Fprintf(&b, "    if strict and not seen:\n        raise ValueError(\"%s: nothing to do\")\n    return [max(group) for _, group in sorted(seen.items())]\n", t.name)
	return b.String()
}

func history(r *rand.Rand, t task) string {
	var b strings.Builder
	for range 4 + r.IntN(4) {
		fmt.Fprintf(&b, "%07x %s: %s\n", 0x1000000+r.IntN(0xeffffff), t.folder, pick(r, []string{
			"sort the table by prefix", "take the limit from the settings", "speed up " + t.name, "add a test for empty input", "drop the old format", "use keyword arguments",
		}))
	}
	return b.String()
}

func testNames(r *rand.Rand, t task) string {
	var b strings.Builder
	line := 8
	for _, name := range []string{"empty", "one", "many", "order", "strict", "unknown", "large"} {
		fmt.Fprintf(&b, "%d:def test_%s_%s():\n", line, t.name, name)
		line += 6 + r.IntN(12)
	}
	return b.String()
}

func caller(r *rand.Rand, t task) string {
	n := 40 + r.IntN(100)
	return fmt.Sprintf("%d-    items = store.load(day)\n%d-    items.sort(key=lambda item: item.%s)\n%d:    groups = %s(items, strict=day.is_workday)\n%d-    for group in groups:\n%d-        yield group.id, group.stamp\n%d-    log.info(\"%s: %%d groups\", len(groups))\n",
		n, n+1, pick(r, []string{"stamp", "rank", "owner"}), n+2, t.name, n+3, n+4, n+5, t.folder)
}

func counts(r *rand.Rand, t task) string {
	var b strings.Builder
	total := 0
	for _, name := range []string{"__init__.py", t.file, "plan.py", "store.py"} {
		n := 3 + r.IntN(240)
		total += n
		fmt.Fprintf(&b, "%5d %s/%s\n", n, t.folder, name)
	}
	fmt.Fprintf(&b, "%5d total\n", total)
	return b.String()
}

func failure(r *rand.Rand, t task) string {
	got, want := 2+r.IntN(8), 1
	return fmt.Sprintf("F.....%s\n=========== FAILURES ===========\n______ test_%s_order ______\n\n    def test_%s_order():\n        items = sample(%d)\n        found = %s(items)\n>       assert len(found) == %d\nE       assert %d == %d\n\n%s/test_%s:%d: AssertionError\n# %s\n1 failed, %d passed in 0.%02ds\n",
		strings.Repeat(".", r.IntN(12)), t.name, t.name, 10+r.IntN(90), t.name, want, got, want, t.folder, t.file, 20+r.IntN(80), t.symptom, 6+r.IntN(12), 10+r.IntN(80))
}
