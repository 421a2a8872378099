// Command traces writes a large trace file with interleaved traces, the same bytes for the same seed, to measure importers
// with: rows of MLPerf's agentic data sets (many small records), or OpenTelemetry spans that each hold their whole history
// (fewer large ones). So many conversations are open at a time, and each record belongs to one of them by chance. The formats
// tiny-rows and tiny-spans have records as small as they get, and singles makes each record a trace of its own: they fill an
// index, not memory with texts.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
)

func main() {
	format := flag.String("format", "mlperf", strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
	size := flag.Int64("bytes", 1<<30, "write at least so many bytes")
	records := flag.Int64("records", math.MaxInt64, "write at most so many records")
	seed := flag.Uint64("seed", 1, "what all of it is drawn from")
	open := flag.Int("open", 64, "conversations that are open at a time")
	flag.Parse()
	if err := write(os.Stdout, *format, limits{*size, *records}, *seed, *open); err != nil {
		fmt.Fprintln(os.Stderr, "traces:", err)
		os.Exit(1)
	}
}

// conversation is one trace on its way.
type conversation struct {
	number, turn int
	history      []string // of spans: messages as JSON
	clock        int64    // milliseconds
}

// longest is the most turns of a conversation.
const longest = 40

type generator struct {
	random  *rand.Rand
	filler  string // words, of which texts are slices
	next    int
	written int64
	out     *bufio.Writer
}

// formats write the next record of a conversation.
var formats = map[string]func(*generator, *conversation) string{
	"mlperf": (*generator).row, "otel": (*generator).span,
	"tiny-rows": (*generator).tinyRow, "tiny-spans": (*generator).tinySpan, "singles": (*generator).single,
}

// limits say how much is written.
type limits struct{ bytes, records int64 }

func write(to io.Writer, format string, most limits, seed uint64, open int) error {
	record, ok := formats[format]
	if !ok {
		return fmt.Errorf("format %q: there are %s", format, strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
	}
	g := &generator{random: rand.New(rand.NewPCG(seed, 0)), out: bufio.NewWriterSize(to, 1<<20)}
	g.filler = g.words(1 << 20)
	list := make([]*conversation, open)
	for i := range list {
		list[i] = g.start()
	}
	for n := int64(0); g.written < most.bytes && n < most.records; n++ {
		i := g.random.IntN(len(list))
		line := record(g, list[i])
		g.written += int64(len(line))
		if _, err := g.out.WriteString(line); err != nil {
			return err
		}
		if list[i].turn >= longest || g.random.IntN(30) == 0 && list[i].turn%2 == 0 {
			list[i] = g.start()
		}
	}
	return g.out.Flush()
}

func (g *generator) start() *conversation {
	g.next++
	return &conversation{number: g.next, clock: int64(g.next) * 100}
}

func (g *generator) words(n int) string {
	var b strings.Builder
	for b.Len() < n {
		for range 2 + g.random.IntN(7) {
			b.WriteByte(byte('a' + g.random.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()[:n]
}

// text is a text of a few dozen to a few thousand bytes.
func (g *generator) text(most int) string {
	n := 30 + g.random.IntN(most)
	at := g.random.IntN(len(g.filler) - n)
	return g.filler[at : at+n]
}

func (g *generator) row(c *conversation) string {
	c.turn++
	if c.turn%2 == 1 {
		return fmt.Sprintf(`{"conversation_id":"conv-%d","turn":%d,"role":"user","content":"%s","delay_seconds":0.%d}`+"\n", c.number, c.turn, g.text(3000), c.turn)
	}
	return fmt.Sprintf(`{"conversation_id":"conv-%d","turn":%d,"role":"assistant","content":"%s"}`+"\n", c.number, c.turn, g.text(800))
}

func (g *generator) tinyRow(c *conversation) string {
	c.turn++
	role := [...]string{"assistant", "user"}[c.turn%2]
	return fmt.Sprintf(`{"conversation_id":"c%d","turn":%d,"role":"%s","content":"%d"}`+"\n", c.number, c.turn, role, g.random.IntN(100))
}

func (g *generator) tinySpan(c *conversation) string {
	c.turn++
	begin := c.clock + int64(g.random.IntN(1000))
	c.clock = begin + int64(g.random.IntN(3000))
	return fmt.Sprintf(`{"trace_id":"t%d","span_id":"s%d","start_time":%d,"end_time":%d,"attributes":{"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":%d,"gen_ai.usage.output_tokens":9}}`+"\n",
		c.number, c.turn, 1_767_322_800_000+begin, 1_767_322_800_000+c.clock, 40*c.turn)
}

func (g *generator) single(c *conversation) string {
	c.turn = longest
	return fmt.Sprintf(`{"messages":[{"role":"user","content":"%d"},{"role":"assistant","content":"%d"}]}`+"\n", g.random.IntN(100), g.random.IntN(100))
}

func (g *generator) span(c *conversation) string {
	c.turn++
	c.history = append(c.history, fmt.Sprintf(`{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"%s\"}]}`, g.text(1500)))
	answer := fmt.Sprintf(`{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"%s\"}]}`, g.text(500))
	begin := c.clock + int64(g.random.IntN(1000))
	c.clock = begin + int64(g.random.IntN(3000))
	line := fmt.Sprintf(`{"trace_id":"trace-%d","span_id":"span-%d-%d","name":"chat","start_time":%d,"end_time":%d,"attributes":{"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":%d,`+
		`"gen_ai.usage.output_tokens":100,"gen_ai.input.messages":"[%s]","gen_ai.output.messages":"[%s]"}}`+"\n",
		c.number, c.number, c.turn, 1_767_322_800_000+begin, 1_767_322_800_000+c.clock, 400*c.turn, strings.Join(c.history, ","), answer)
	c.history = append(c.history, answer)
	return line
}
