#include "paceline.h"

// Four blocks of ChaCha with 8 rounds are made side by side: word w of block b is at words[4 * w + b]. After 16 blocks the
// last 32 bytes become the next key.
enum { LANES = 4, BLOCKS = 16, PAIRS = 32, KEY_PAIRS = 4 };

static uint32_t rotate(uint32_t v, int n) { return v << n | v >> (32 - n); }

static void quarter(uint32_t *x, int a, int b, int c, int d)
{
	x[a] += x[b];
	x[d] = rotate(x[d] ^ x[a], 16);
	x[c] += x[d];
	x[b] = rotate(x[b] ^ x[c], 12);
	x[a] += x[b];
	x[d] = rotate(x[d] ^ x[a], 8);
	x[c] += x[d];
	x[b] = rotate(x[b] ^ x[c], 7);
}

static void make_block(pl_random *r, uint32_t lane)
{
	uint32_t x[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
	for (int i = 0; i < 8; i++)
		x[4 + i] = r->key[i];
	x[12] = r->counter + lane;
	for (int round = 0; round < 8; round += 2) {
		for (int i = 0; i < 4; i++)
			quarter(x, i, 4 + i, 8 + i, 12 + i);
		for (int i = 0; i < 4; i++)
			quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
	}
	for (int i = 0; i < 16; i++)
		r->words[LANES * (uint32_t)i + lane] = i >= 4 && i < 12 ? x[i] + r->key[i - 4] : x[i];
}

static void make_blocks(pl_random *r)
{
	for (uint32_t lane = 0; lane < LANES; lane++)
		make_block(r, lane);
	r->next = 0;
	r->end = r->counter == BLOCKS - LANES ? PAIRS - KEY_PAIRS : PAIRS;
}

pl_random pl_random_new(pl_str seed)
{
	pl_random r = {.counter = 0};
	if (seed.len != 32)
		pl_trap("a seed of random numbers has 32 bytes");
	for (size_t i = 0; i < 32; i++)
		r.key[i / 4] |= (uint32_t)(unsigned char)seed.ptr[i] << i % 4 * 8;
	make_blocks(&r);
	return r;
}

uint64_t pl_random_u64(pl_random *r)
{
	if (r->next == r->end) {
		r->counter += LANES;
		if (r->counter == BLOCKS) {
			pl_copy(r->key, r->words + 2 * (PAIRS - KEY_PAIRS), sizeof r->key);
			r->counter = 0;
		}
		make_blocks(r);
	}
	const uint32_t *pair = r->words + 2 * r->next++;
	return (uint64_t)pair[1] << 32 | pair[0];
}

// multiply gives both halves of a product. Newer compilers would see that and call a function of their library, which is
// not there, so one step is hidden from them.
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
	__asm__("" : "+r"(middle));
	uint64_t other = a0 * b1 + (uint32_t)middle;
	*low = a * b;
	return a1 * b1 + (middle >> 32) + (other >> 32);
}

uint64_t pl_random_below(pl_random *r, uint64_t n)
{
	if (n == 0)
		pl_trap("there is no number below 0");
	if ((n & (n - 1)) == 0)
		return pl_random_u64(r) & (n - 1);
	uint64_t low, high = multiply(pl_random_u64(r), n, &low);
	for (uint64_t least = (0 - n) % n; low < least;)
		high = multiply(pl_random_u64(r), n, &low);
	return high;
}
