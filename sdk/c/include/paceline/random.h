// Random numbers from a seed: the stream that the contract names for seeds, ChaCha8 as Go's math/rand/v2 defines it. Equal
// seeds give equal numbers in every SDK.

#ifndef PACELINE_RANDOM_H
#define PACELINE_RANDOM_H

#include "paceline/text.h"

// A stream of random numbers. It is 300 bytes and needs no memory beside.
typedef struct pl_random {
	uint32_t words[64]; // of the block that is given out
	uint32_t key[8];
	uint32_t counter;
	uint32_t next, end; // in pairs of words
} pl_random;

// Starts a stream. The seed has 32 bytes, as those of the contract; another length traps.
pl_random pl_random_new(pl_str seed);

uint64_t pl_random_u64(pl_random *r);

// A number below n, each with the same chance; n must not be 0.
uint64_t pl_random_below(pl_random *r, uint64_t n);

#endif
