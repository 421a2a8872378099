package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// tables makes the berths and the tariffs.
func tables() []file {
	r := rand.New(rand.NewPCG(411, 1))
	var berths, tariffs strings.Builder
	berths.WriteString("berth,station,length_m,depth_m,power,crane_m\n")
	for _, p := range places {
		for k := range 5 + r.IntN(4) {
			power := "no"
			if r.IntN(3) > 0 {
				power = "yes"
			}
			fmt.Fprintf(&berths, "%s-%d,%s,%d,%d.%d,%s,%d\n", strings.ToUpper(p.name[:3]), k+1, p.name, 18+r.IntN(145), 2+r.IntN(7), r.IntN(10), power, 10*r.IntN(40))
		}
	}
	tariffs.WriteString("code,season,from_length_m,per_metre\n")
	for s, season := range []string{"winter", "shoulder", "summer"} {
		for i, from := range []int{0, 12, 20, 35, 60, 90, 130} {
			fmt.Fprintf(&tariffs, "%c%02d,%s,%d,%d.%02d\n", "WHS"[s], i+1, season, from, 2+s*2+i, 5*r.IntN(20))
		}
	}
	return []file{{"data/berths.csv", berths.String()}, {"data/ships.csv", ships()}, {"data/tariffs.csv", tariffs.String()}}
}

var (
	colours = []string{"Grey", "White", "Black", "Amber", "Silver", "Russet", "Pale", "Northern"}
	birds   = []string{"Heron", "Tern", "Plover", "Dunlin", "Gannet", "Eider", "Curlew", "Petrel", "Fulmar", "Knot"}
	flags   = []string{"NO", "FO", "DK", "IS", "SE"}
)

// ships makes one row a ship; each has a name of its own.
func ships() string {
	r := rand.New(rand.NewPCG(413, 3))
	var b strings.Builder
	b.WriteString("name,flag,length_m,draught_m,home,last_seen\n")
	for _, bird := range birds {
		for _, colour := range colours {
			fmt.Fprintf(&b, "%s %s,%s,%d,%d.%d,%s,2025-%02d-%02d\n", colour, bird, flags[r.IntN(len(flags))], 9+r.IntN(150), 1+r.IntN(6), r.IntN(10),
				places[r.IntN(len(places))].name, 1+r.IntN(12), 1+r.IntN(28))
		}
	}
	return b.String()
}

var steps = []struct{ name, table, column, kind, note, team string }{
	{"stays", "stays", "ticket", "text not null", "One row a stay. Prices are text, so that no driver rounds them.", "counting-house"},
	{"ships", "ships", "imo", "integer", "Ships that came at least once. Pleasure boats have no number.", "moorings"},
	{"voids", "voids", "reason", "varchar(40)", "A voided stay keeps its row; this table says why.", "counting-house"},
	{"dedupe", "stays", "dedupe_key", "uuid", "Keys of clients that repeat a booking.", "counting-house"},
	{"exports", "exports", "batch_no", "bigint", "What the nightly export has sent.", "counting-house"},
	{"partition", "stays_2025", "season", "char(8)", "Stays are kept by year from now on.", "night-watch"},
}

// migrations makes the steps of the database, each with a way back.
func migrations() []file {
	r := rand.New(rand.NewPCG(412, 2))
	var list []file
	for i, s := range steps {
		var b strings.Builder
		number := (i + 1) * 10
		fmt.Fprintf(&b, "-- %04d %s\n-- %s\n-- asked for by %s\n\nbegin;\n", number, s.name, s.note, s.team)
		fmt.Fprintf(&b, "set local lock_timeout = '%dms';\n\n", 100*(3+r.IntN(60)))
		if s.name == "dedupe" {
			fmt.Fprintf(&b, "alter table %s add column %s %s;\n", s.table, s.column, s.kind)
			fmt.Fprintf(&b, "create unique index %s_%s_once on %s (%s) where %s is not null;\n", s.table, s.column, s.table, s.column, s.column)
		} else {
			fmt.Fprintf(&b, "create table %s (\n  id bigint generated always as identity primary key,\n  %s %s,\n  written_at timestamptz not null default now()\n);\n", s.table, s.column, s.kind)
			fmt.Fprintf(&b, "create index %s_by_time on %s (written_at);\n", s.table, s.table)
			fmt.Fprintf(&b, "alter table %s set (fillfactor = %d);\n", s.table, 60+r.IntN(38))
		}
		fmt.Fprintf(&b, "insert into schema_steps (number, name) values (%d, '%s');\ncommit;\n\n-- back:\n", number, s.name)
		if s.name == "dedupe" {
			fmt.Fprintf(&b, "-- alter table %s drop column %s;\n", s.table, s.column)
		} else {
			fmt.Fprintf(&b, "-- drop table %s;\n", s.table)
		}
		list = append(list, file{fmt.Sprintf("db/migrations/%04d_%s.sql", number, s.name), b.String()})
	}
	return list
}
