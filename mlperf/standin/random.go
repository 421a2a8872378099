package standin

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// random is a stream of draws. It takes nothing from package rand but the generator, whose values are settled.
type random struct{ pcg *rand.PCG }

// stream is the one of a conversation, by its place in the file from 1; 0 is of all that is shared.
func stream(seed uint64, place int) *random { return &random{rand.NewPCG(seed, uint64(place))} }

// below draws a number from 0 to n-1; the bias of the remainder means nothing here.
func (r *random) below(n int) int { return int(r.pcg.Uint64() % uint64(n)) }

func (r *random) between(least, most int) int { return least + r.below(most-least+1) }

func (r *random) pick(list []string) string { return list[r.below(len(list))] }

// quantiles are the shape of a distribution: equal steps from the least value to the largest.
type quantiles []int

// Of the time of tools and of people before a client turn, in microseconds. Most tools answer at once, few take minutes.
var (
	toolDelay = quantiles{38_000, 44_000, 50_000, 62_000, 80_000, 110_000, 170_000, 290_000, 640_000, 1_900_000, 24_000_000}
	userDelay = quantiles{200_000, 350_000, 500_000, 700_000, 900_000, 1_200_000, 1_500_000, 1_900_000, 2_400_000, 3_200_000, 9_000_000}
)

// draw picks a step and a place on it.
func (q quantiles) draw(r *random) int {
	i := r.below(len(q) - 1)
	return q[i] + r.below(q[i+1]-q[i])
}

// seconds writes microseconds as seconds.
func seconds(us int) string {
	whole, rest := us/1_000_000, strconv.Itoa(us%1_000_000)
	return strconv.Itoa(whole) + "." + strings.Repeat("0", 6-len(rest)) + rest
}

// text is a pool of words, of which every longer text is a slice.
type text struct {
	all    string
	starts []int // of each word
}

var words = strings.Fields(`account adapter agent alert archive array assign batch binary branch buffer build cache call carrier change channel
check class client cluster column commit config context counter credit cursor customer date default delay delivery delta device
digest document draft driver edge entry error event export factor field figure file filter folder form frame function group guard
handle header history hook index input invoice issue item job journal key label layer ledger level limit line list loader lock
log loop mapping margin marker matrix member merge message meter method metric mode module monitor name network node note number
object offer offset option order origin output owner package page panel parcel parser part patch path pattern payment phase plan
point policy pool port prefix price process profile proof query queue quota range rate reader record refund region release remote
reply report request reset result return review role route row rule sample schedule schema scope score section segment sender
series server session setting shape shift signal size slot source stage state step store stream string subject switch symbol
system table tag target task template tenant test text ticket timer token tool total trace track transfer type unit update user
value vector version view volume warning weight window worker writer zone`)

// pool makes the text that all conversations of a file share.
func pool(r *random, bytes int) text {
	var b strings.Builder
	var t text
	for b.Len() < bytes {
		t.starts = append(t.starts, b.Len())
		b.WriteString(r.pick(words))
		switch r.below(14) {
		case 0:
			b.WriteString(".\n")
		case 1, 2:
			b.WriteString(", ")
		default:
			b.WriteByte(' ')
		}
	}
	t.all = b.String()
	return t
}

// slice draws about so many bytes of whole words.
func (t text) slice(r *random, bytes int) string {
	n := min(max(bytes/8, 1), len(t.starts)/2) // a word and what follows has about eight bytes
	from := r.below(len(t.starts) - n)
	return strings.TrimRight(t.all[t.starts[from]:t.starts[from+n]], " ,\n")
}
