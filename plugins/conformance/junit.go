package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// The elements of a JUnit report, as far as they are used.
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitSkipped `xml:"skipped"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// WriteJUnit writes the report as JUnit XML: one suite for the plugin, one case for each check in the report's order. Nothing
// but the times differs from run to run.
func (r *Report) WriteJUnit(w io.Writer) error {
	suite := junitSuite{Name: r.Plugin, Tests: len(r.Results), Failures: r.Count(Failed), Skipped: r.Count(Skipped)}
	var total time.Duration
	for i := range r.Results {
		one := &r.Results[i]
		total += one.Took
		c := junitCase{Name: one.Check, Class: junitClass(r.Plugin, one.Component), Time: seconds(one.Took)}
		switch one.State {
		case Failed:
			c.Failure = &junitFailure{Message: one.Text, Type: "conformance", Text: one.Text}
		case Skipped:
			c.Skipped = &junitSkipped{Message: one.Text}
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Time = seconds(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junitClass groups the cases of a component. Tools cut class names at dots, so a file's name must have none.
func junitClass(plugin, component string) string {
	name := strings.ReplaceAll(strings.Trim(plugin, "./"), ".", "_")
	if component == "" {
		component = "plugin"
	}
	return name + "." + component
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
