package load

import (
	"math/rand/v2"

	"paceline/core/seed"
)

// rotation says whose turn it is among members with weights. It is Tijdeman's solution of the chairman assignment problem
// (Discrete Mathematics 32, 1980) in integers: of those that are far enough behind their share the one is next that must be
// served first. After sum(weights) turns everybody has had exactly the weight, and a new round begins.
type rotation struct {
	weights []int64 // by place, without a common divisor
	sum     int64
	behind  []int64 // by place: turns so far * weight - sum * turns had; 0 at the start of each round
	done    int64   // turns in this round
	ranks   []int   // by place: who is first of those that are equally due

	shuffle bool // ranks are drawn for each round
	seed    uint64
	first   uint64 // number of the conversation that this round begins with
}

func (r *rotation) begin() {
	var common int64
	r.sum = 0
	for _, w := range r.weights {
		common = divisor(w, common)
	}
	for i := range r.weights {
		r.weights[i] /= common
		r.sum += r.weights[i]
	}
	r.behind = make([]int64, len(r.weights))
	r.ranks = make([]int, len(r.weights))
	r.round()
}

// round begins a round at conversation first.
func (r *rotation) round() {
	r.done = 0
	for i := range r.ranks {
		r.ranks[i] = i
	}
	if r.shuffle && len(r.ranks) > 1 {
		swap(len(r.ranks), drawn(r.seed, r.first), func(i, j int) { r.ranks[i], r.ranks[j] = r.ranks[j], r.ranks[i] })
	}
}

// next returns the place whose turn it is.
func (r *rotation) next() int {
	if r.done == r.sum {
		r.first += uint64(r.sum)
		r.round()
	}
	r.done++
	best, k := -1, int64(len(r.weights))
	for i, w := range r.weights {
		r.behind[i] += w
		if k > 1 && (2*k-2)*r.behind[i] < r.sum { // too early for this one
			continue
		}
		if best < 0 || r.before(i, best) {
			best = i
		}
	}
	r.behind[best] -= r.sum
	return best
}

// before reports whether place i must be served before place j, where both may be served now.
func (r *rotation) before(i, j int) bool {
	k := int64(len(r.weights))
	slack := func(i int) int64 { return (2*k-3)*r.sum - (2*k-2)*r.behind[i] } // over the weight: the turns that it can wait
	a, b := slack(i)*r.weights[j], slack(j)*r.weights[i]
	if a != b {
		return a < b
	}
	return r.ranks[i] < r.ranks[j]
}

func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// drawn is the stream of random numbers for the round that begins with a conversation.
func drawn(root, number uint64) *rand.Rand {
	return seed.Derive(root, seed.Mix, seed.Uint(number)).Rand()
}
