// Command anonymous holds a file that `runner import --anonymize` wrote to what it promises, by brute force: no piece of any
// text of the original is in it, nor in what the terminal showed; and beside texts it is what the plain import gives.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"paceline/traces/pieces"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: anonymous ORIGINAL PLAIN ANONYMOUS TERMINAL")
		os.Exit(2)
	}
	if err := check(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "anonymous:", err)
		os.Exit(1)
	}
}

func check(original, plain, anonymous, terminal string) error {
	f, err := os.Open(original)
	if err != nil {
		return err
	}
	defer f.Close()
	set, err := pieces.Of(f)
	if err != nil {
		return err
	}
	made, err := os.ReadFile(anonymous)
	if err != nil {
		return err
	}
	looked := 0
	err = pieces.Texts(bytes.NewReader(made), func(text string, number bool) {
		if looked++; number { // counts and times stay
			return
		}
		if piece := set.In(text); piece != "" && err == nil {
			err = fmt.Errorf("%q of the original is in %q", piece, text)
		}
	})
	if err != nil {
		return err
	}
	shown, err := shown(terminal, set)
	if err != nil {
		return err
	}
	of, err := os.ReadFile(plain)
	if err != nil {
		return err
	}
	c := comparison{names: map[string]string{}}
	if err := c.lines(of, made); err != nil {
		return err
	}
	if err := c.sharing(); err != nil {
		return err
	}
	fmt.Printf("%d pieces of the original, none in %d texts and in %d bytes on the terminal; %d texts keep their length, %d beginnings of %d bytes are shared as before\n",
		set.Len(), looked, shown, len(c.texts), c.beginnings, c.shared)
	return nil
}

// shown looks at what the terminal showed.
func shown(file string, set *pieces.Set) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		if piece := set.In(string(line)); piece != "" {
			return 0, fmt.Errorf("the terminal shows %q of the original in %q", piece, line)
		}
	}
	return len(text), nil
}

// pair is a text before and after.
type pair struct{ plain, made string }

// comparison walks two files of the normal form side by side.
type comparison struct {
	names              map[string]string // what a name became
	texts              []pair
	beginnings, shared int
}

func (c *comparison) lines(plain, made []byte) error {
	a, b := bytes.Split(plain, []byte("\n")), bytes.Split(made, []byte("\n"))
	if len(a) != len(b) {
		return fmt.Errorf("%d trajectories became %d", len(a)-1, len(b)-1)
	}
	for i := range len(a) - 1 {
		var x, y any
		if err := errors.Join(decode(a[i], &x), decode(b[i], &y)); err != nil {
			return err
		}
		if err := c.values("", x, y); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

func decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

// changed are members that may lose or change something: what is no number of a known parameter, labels, definitions.
var changed = map[string]bool{"labels": true, "params": true, "tools": true, "key": true, "key_base64": true, "schema": true}

// named are members whose text becomes a name: equal ones stay equal, different ones different.
var named = map[string]bool{"id": true, "domain": true, "name": true, "tool_call_id": true}

func (c *comparison) values(at string, x, y any) error {
	switch x := x.(type) {
	case map[string]any:
		made, ok := y.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: an object became %T", at, y)
		}
		if x["type"] != "text" && made["type"] == "text" { // a picture or the like, of which a text is left
			return nil
		}
		for key, v := range x {
			if changed[key] {
				continue
			}
			if err := c.member(at+"/"+key, key, v, made[key]); err != nil {
				return err
			}
		}
	case []any:
		made, ok := y.([]any)
		if (!ok || len(made) != len(x)) && len(x)+len(made) > 0 {
			return fmt.Errorf("%s: a list of %d became another", at, len(x))
		}
		for i := range x {
			if err := c.values(at, x[i], made[i]); err != nil {
				return err
			}
		}
	case string:
		made, ok := y.(string)
		if !ok || len(made) != len(x) {
			return fmt.Errorf("%s: a text of %d bytes became one of %d", at, len(x), len(made))
		}
		c.texts = append(c.texts, pair{x, made})
	default:
		if x != y {
			return fmt.Errorf("%s: %v became %v", at, x, y)
		}
	}
	return nil
}

// shortArguments is how long the arguments of a call are that become an empty object.
const shortArguments = 12

func (c *comparison) member(at, key string, x, y any) error {
	text, isText := x.(string)
	made, _ := y.(string)
	switch {
	case key == "truth": // of which token counts stay
		return c.values(at, usage(x), usage(y))
	case isText && named[key]:
		if before, ok := c.names[key+text]; ok && before != made {
			return fmt.Errorf("%s: one name became %q and %q", at, before, made)
		}
		c.names[key+text] = made
		return nil
	case isText && (key == "role" || key == "type" || key == "scope"):
		return nil
	case isText && key == "arguments" && len(text) < shortArguments && made == "{}":
		return nil
	case isText && key == "arguments":
		if len(made) != len(text) || !json.Valid([]byte(made)) {
			return fmt.Errorf("%s: arguments of %d bytes became %q", at, len(text), made)
		}
		return nil
	}
	return c.values(at, x, y)
}

func usage(truth any) any {
	object, _ := truth.(map[string]any)
	return object["usage"]
}

// blockBytes is to how many bytes beginnings are shared as before.
const blockBytes = 10

// sharing compares how far neighbours among all texts, in their order, begin alike before and after.
func (c *comparison) sharing() error {
	slices.SortFunc(c.texts, func(a, b pair) int { return bytes.Compare([]byte(a.plain), []byte(b.plain)) })
	for i := 1; i < len(c.texts); i++ {
		before, after := common(c.texts[i-1].plain, c.texts[i].plain), common(c.texts[i-1].made, c.texts[i].made)
		whole := before / blockBytes * blockBytes
		if after < whole || after > before+3*blockBytes { // what differs may by chance begin alike again
			return fmt.Errorf("texts that share %d bytes share %d afterwards", before, after)
		}
		if before >= blockBytes {
			c.beginnings++
			c.shared += before
		}
	}
	return nil
}

func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
