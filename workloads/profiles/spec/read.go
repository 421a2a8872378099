package spec

import (
	"cmp"
	"fmt"

	"paceline/sdk"
	"paceline/workloads/profiles/fixed"
	"paceline/workloads/rawjson"
)

// Limits of a profile.
const (
	MaxTurns  = 10_000
	MaxTokens = 1 << 20   // of one message; in micro-units it stays below what fixed.Exp2 reaches
	MaxWait   = 1_000_000 // seconds
	maxList   = 1000
	maxZipf   = 100_000
	maxDepth  = 4 // of mixtures in each other
)

// Provenances are the words for where a profile's numbers come from.
var Provenances = []string{"exact", "estimated", "provisional", "recorded"}

// Read reads a profile from JSON. Its error is sdk.Faults: everything that is wrong, each with a pointer that begins with
// prefix.
func Read(text []byte, prefix string) (*Profile, error) {
	var faults sdk.Faults
	root := node{rawjson.Value(text), prefix, &faults}
	if err := rawjson.Valid(text); err != nil {
		root.fault("profile-json", "a JSON object", "the profile is no JSON: %v at byte %d", err, err.Offset)
		return nil, faults
	}
	root.v = text[rawjson.Space(text, 0):]
	p := root.profile()
	if len(faults) > 0 {
		return nil, faults
	}
	return p, nil
}

func (n node) profile() *Profile {
	if !n.object("schema", "name", "provenance", "source", "turns", "shared", "input", "assistant", "tool", "wait", "final", "effect", "lengths", "end") {
		return nil
	}
	p := &Profile{Name: n.get("name").text(64), Provenance: n.get("provenance").text(32), Source: n.get("source").text(2000)}
	if s := n.get("schema"); !s.missing() && s.text(64) != Schema {
		s.fault("profile-schema", Schema, "schema is %s", s.v)
	}
	n.names(p)
	p.turns = n.get("turns").table(p, "turns", MaxTurns)
	p.input = n.get("input").table(p, "input", MaxTokens)
	p.shared = n.get("shared").pools()
	n.effects(p)
	p.lengths = n.lengths(p)
	p.end = n.get("end").ending(p)
	return p
}

func (n node) names(p *Profile) {
	if p.Name == "" {
		n.get("name").fault("profile-name", "a short name of letters, digits, . _ and -", "name is missing")
	}
	for _, c := range []byte(p.Name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			n.get("name").fault("profile-name", "a short name of letters, digits, . _ and -", "name is %q", p.Name)
			break
		}
	}
	known := p.Provenance == ""
	for _, word := range Provenances {
		known = known || word == p.Provenance
	}
	if !known {
		n.get("provenance").fault("profile-provenance", "exact, estimated, provisional or recorded", "provenance is %q", p.Provenance)
	}
	p.Provenance = cmp.Or(p.Provenance, "provisional")
}

func (n node) effects(p *Profile) {
	e := n.get("effect")
	if e.missing() || !e.object("assistant", "tool", "wait") {
		return
	}
	for v, key := range [...]string{"assistant", "tool", "wait"} {
		if part := e.get(key); !part.missing() {
			p.effect[v] = newEffect(part.number(0, micro))
		}
	}
}

// lengths reads the tables of turns: those of the listed lengths, each completed by those of the profile, and the profile's
// own behind.
func (n node) lengths(p *Profile) []stratum {
	own := stratum{to: MaxTurns}
	for v, key := range [...]string{"assistant", "tool", "wait"} {
		own.turns[v] = n.get(key).positions(p, key, limits[v])
	}
	own.final = n.get("final").table(p, "final", MaxTokens)
	var out []stratum
	for i, l := range n.get("lengths").list() {
		if !l.object("to", "assistant", "tool", "wait", "final") {
			continue
		}
		s := own
		s.to = l.get("to").whole(0, MaxTurns)
		if i > 0 && s.to <= out[len(out)-1].to {
			l.get("to").fault("profile-order", "more than in the length before", "%s is %d", l.get("to").name(), s.to)
		}
		for v, key := range [...]string{"assistant", "tool", "wait"} {
			if part := l.get(key); !part.missing() {
				s.turns[v] = part.positions(p, key+fmt.Sprintf(" (to %d turns)", s.to), limits[v])
			}
		}
		if part := l.get("final"); !part.missing() {
			s.final = part.table(p, fmt.Sprintf("final (to %d turns)", s.to), MaxTokens)
		}
		out = append(out, s)
	}
	return append(out, own)
}

var limits = [...]int64{MaxTokens, MaxTokens, MaxWait}

// positions reads tables by position: a list of distributions with from, or one for all.
func (n node) positions(p *Profile, name string, most int64) []position {
	if n.v.Kind() != rawjson.Array {
		return []position{{0, n.table(p, name, most)}}
	}
	var out []position
	for i, element := range n.list() {
		from := element.get("from").whole(0, MaxTurns)
		if i == 0 && from != 0 || i > 0 && from <= out[i-1].from {
			element.get("from").fault("profile-order", "0 first, then more each time", "%s is %d", element.get("from").name(), from)
		}
		out = append(out, position{from, element.table(p, fmt.Sprintf("%s from %d", name, from), most)})
	}
	if len(out) == 0 {
		n.fault("profile-empty", "at least one distribution", "%s is empty", n.name())
	}
	return out
}

// table reads a distribution and gives it a number.
func (n node) table(p *Profile, name string, most int64) int {
	p.Tables = append(p.Tables, Table{name, n.dist(most*micro, 0), most == MaxWait})
	return len(p.Tables) - 1
}

// ending reads what ends a conversation early.
func (n node) ending(p *Profile) ending {
	e := ending{context: -1, scaling: fixed.One}
	if n.missing() || !n.object("context", "chance", "scaling") {
		return e
	}
	context, chance, scaling := n.get("context"), n.get("chance"), n.get("scaling")
	if context.missing() && chance.missing() {
		n.fault("profile-empty", "context, chance or both", "%s says nothing", n.name())
	}
	if !context.missing() {
		e.context = context.table(p, "end.context", MaxTokens)
	}
	if !chance.missing() {
		e.chance = uint64(chance.number(0, micro)) << 32 / micro
	}
	if !scaling.missing() {
		e.scaling = binary(scaling.number(micro, 100*micro))
		if context.missing() || chance.missing() {
			scaling.fault("profile-end", "context and chance beside it", "%s scales the chance towards the limit of the context, and one of them is missing", scaling.name())
		}
	}
	return e
}

// pools reads the prefixes that traces share.
func (n node) pools() []pool {
	var out []pool
	for _, l := range n.list() {
		if !l.object("key", "tokens", "pool", "zipf") {
			continue
		}
		p := pool{key: l.get("key").text(64), tokens: l.get("tokens").whole(1, MaxTokens), of: 1}
		if p.key == "" {
			l.get("key").fault("profile-name", "a name", "%s is missing", l.get("key").name())
		}
		if k := l.get("pool"); !k.missing() {
			p.of = k.whole(1, maxZipf)
		}
		exponent := int64(0)
		if z := l.get("zipf"); !z.missing() {
			exponent = z.number(0, 10*micro)
		}
		p.which = newZipf(int(p.of), binary(exponent), 0)
		out = append(out, p)
	}
	return out
}

// binary turns micro-units into 16 binary places.
func binary(v int64) int64 { return (v*fixed.One + micro/2) / micro }
