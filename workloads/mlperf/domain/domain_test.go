package domain

import "testing"

func TestOf(t *testing.T) {
	for id, want := range map[string]string{
		"sim_1": Workflow, "sim_0042": Workflow, "sim_": Coding, "sim_1a": Coding, "xsim_1": Coding, "sim_1\n": Coding,
		"django__django-16899": Coding,
	} {
		if got := Of(id); got != want {
			t.Errorf("Of(%q) = %s", id, got)
		}
	}
}
