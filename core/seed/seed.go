// Package seed derives every random stream of a run from the run's one seed.
//
// A derived seed is SHA-256 over an unambiguous byte string, so that any program in any language can derive it again:
//
//	"paceline/seed/v1"  16 bytes of ASCII
//	root                the run's seed, 8 bytes, big-endian
//	purpose             length (8 bytes, big-endian), then the ASCII bytes
//	part, part, ...     each as length (8 bytes, big-endian), then the bytes
//
// A number given as a part is its 8 bytes, big-endian. The purposes in use are constants of this package;
// schemas/plugin/v1/README.md has them with their parts and test vectors.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Purposes of derived seeds. A purpose never changes its parts.
const (
	// Component seeds one opened component; part: the component's full name, e.g. std/mlperf/agentic.
	Component = "component"
	// Plan seeds one call of Workload.Plan; parts: component name, index, repeat.
	Plan = "plan"
	// Random seeds a guest's random numbers for one call; parts: component seed, method number, SHA-256 of the request.
	Random = "random"
	// Order seeds the shuffle of one pass over a workload; parts: component name, repeat.
	Order = "order"
	// Mix seeds the choice between workloads that are equally due; part: number of the round's first conversation.
	Mix = "mix"
	// Arrivals seeds the gaps between arrivals that are drawn from a law; no parts.
	Arrivals = "arrivals"
	// Targets seeds the order in which one block of a workload's conversations is dealt out to several targets; parts: the
	// workload's name, number of the block's first conversation in that workload.
	Targets = "targets"
	// Start seeds where a user's first conversation begins, where that is inside its trajectory: the first number chooses the
	// trajectory, the second the position; part: the user's number.
	Start = "start"
	// Salt seeds the salts of a run; parts: the scope's identity (see core/chat).
	Salt = "salt"
	// Filler seeds text that the host makes; parts: "words" or "ids" for what all of a run's filler is slices of; for one
	// piece "trajectory", workload, trajectory's id, repeat, key; or "workload", workload, repeat, key; or "run", repeat, key.
	// Where passes share their prompts the repeat is 0.
	Filler = "filler"
	// Sample seeds the choice of what is planned or judged again to prove determinism; part: component name.
	Sample = "sample"
	// Bootstrap seeds confidence intervals; part: the metric's name.
	Bootstrap = "bootstrap"
)

// Size is the length of a derived seed in bytes.
const Size = sha256.Size

// Seed is one derived seed.
type Seed [Size]byte

// Derive returns the seed for a purpose and its parts under the run's root seed.
func Derive(root uint64, purpose string, parts ...[]byte) Seed {
	h := sha256.New()
	h.Write([]byte("paceline/seed/v1"))
	h.Write(Uint(root))
	write := func(b []byte) {
		h.Write(Uint(uint64(len(b))))
		h.Write(b)
	}
	write([]byte(purpose))
	for _, p := range parts {
		write(p)
	}
	return Seed(h.Sum(nil))
}

// Uint returns n as a part: 8 bytes, big-endian.
func Uint(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// Rand returns a ChaCha8 stream over the seed. It is not safe for concurrent use.
func (s Seed) Rand() *rand.Rand { return rand.New(rand.NewChaCha8(s)) }
