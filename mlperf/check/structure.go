package check

import (
	"path"
	"strings"

	"paceline/mlperf/check/tree"
)

func (c *checker) submission(s *tree.Submission) {
	c.pass("path-exists", "", "the folder is there")
	c.required("results", s.Results)
	c.required("docs", s.Docs)
	c.sources(s)
	if !s.Results {
		return
	}
	if len(s.Systems) == 0 {
		c.fail("system-results-dir", "none", "results", "Make results/<system>/<model>/r<N>/.", "results/ holds no folder of a system")
		return
	}
	accuracy := false
	for i := range s.Systems {
		accuracy = c.system(&s.Systems[i]) || accuracy
	}
	if accuracy {
		c.pass("accuracy-present", "results", "there are accuracy results")
		return
	}
	c.fail("accuracy-present", "none", "results", "Add accuracy_results.json to the points: inline at every one, SWE-bench at one of each band.",
		"no point has accuracy_results.json, nor accuracy_scores in results.json")
}

func (c *checker) required(name string, here bool) {
	if here {
		c.pass("required-dir", name, "%s/ is there", name)
		return
	}
	c.fail("required-dir", name, name, "Make the folder, or check each submission of an organization by itself.", "%s/ is missing", name)
}

func (c *checker) sources(s *tree.Submission) {
	if len(s.Implementations) == 0 {
		missing := "src/ is missing"
		if s.Src {
			missing = "src/ holds no implementation folder"
		}
		c.fail("src-dir", "none", "src", "Make src/<implementation>/ with what reproduces a point.", "%s", missing)
		return
	}
	var names []string
	for _, i := range s.Implementations {
		names = append(names, i.Name)
	}
	c.pass("src-dir", "src", "src/ holds %s", strings.Join(names, ", "))
	for _, i := range s.Implementations {
		at := path.Join("src", i.Name, "README.md")
		if i.Readme {
			c.pass("src-readme", at, "%s is there", at)
			continue
		}
		c.fail("src-readme", "missing", at, "Write how to build the system and reproduce a point.", "%s is missing", at)
	}
}

// system checks one system, and says whether it has accuracy results.
func (c *checker) system(s *tree.System) (accuracy bool) {
	var curves []*curve
	for i := range s.Models {
		curves = append(curves, c.newCurve(s, &s.Models[i]))
	}
	totals := c.power(s, curves)
	if len(s.Models) == 0 {
		c.fail("benchmark-model-dir", "none", s.Path, "Put the points into "+s.Path+"/<model>/r<N>/, and keep other folders out of results/.",
			"%s/ holds no folder of a model", s.Path)
	}
	for _, v := range curves {
		v.power = totals
		if len(v.points) == 0 {
			c.fail("point-dirs", "none", v.model.Path, "Name point folders r<concurrency>, and keep other folders out of "+s.Path+"/.",
				"%s/ holds no point folder r<N>", v.model.Path)
			continue
		}
		c.pass("point-dirs", v.model.Path, "%s/ holds %d points", v.model.Path, len(v.points))
		c.curve(v)
		for _, p := range v.points {
			accuracy = accuracy || p.measured
		}
	}
	return accuracy
}
