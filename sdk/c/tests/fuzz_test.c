// Mutated messages, with a fixed seed: whatever comes in, the answer is well formed and no byte outside of a message is
// touched. FUZZ_ROUNDS sets how many messages there are.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/tables_gen.h"
#include "every.h"
#include "host.h"
#include "paceline_test.h"

static uint64_t random_state = 42;

static unsigned random_below(unsigned n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % n;
}

enum { MAX_LEN = 4096 };

// mutate changes bytes, cuts, repeats a part or grows a length.
static size_t mutate(uint8_t *b, size_t len)
{
	for (unsigned n = random_below(4); n > 0 && len > 0; n--) {
		unsigned at = random_below((unsigned)len);
		size_t part = random_below((unsigned)(len - at)) + 1;
		switch (random_below(5)) {
		case 0:
			b[at] = (uint8_t)random_below(256);
			break;
		case 1:
			b[at] ^= (uint8_t)(1 << random_below(8));
			break;
		case 2:
			len = at;
			break;
		case 3:
			if (len + part <= MAX_LEN) {
				memmove(b + at + part, b + at, len - at);
				len += part;
			}
			break;
		default:
			b[at] = random_below(2) == 0 ? 0xff : 0x7f;
		}
	}
	return len;
}

static uint8_t *seeds[64];
static size_t seed_lens[64], seeds_len;

static void add_seed(const pl_layout *l, const void *m)
{
	uint64_t size = pl_encoded_size(l, m, MAX_LEN);
	PL_EXPECT(size <= MAX_LEN);
	seeds[seeds_len] = malloc((size_t)size + 1);
	PL_EXPECT(seeds[seeds_len] != NULL);
	pl_encode(l, m, seeds[seeds_len], (size_t)size);
	seed_lens[seeds_len++] = (size_t)size;
}

static void make_seeds(void)
{
	pl_label labels[] = {{PL_INIT("k"), PL_INIT("\xE6\xBC\xA2")}, {PL_INIT("l"), PL_INIT("")}};
	pl_chunk chunks[] = {{.gap_us = 1, .channel = PL_CHANNEL_TOOL, .bytes = 300, .has_tokens = true, .tokens = 0}, {.gap_us = 70000}};
	pl_usage usage = {.reported = true, .prompt_tokens = 1u << 20, .has_cached_tokens = true};
	pl_answer answer = {.message = PL_INIT("{\"content\":\"x\\u00e9\"}"), .outcome = PL_INIT("ok"), .usage = &usage, .headers = labels, .headers_len = 2};
	pl_timing timing = {.has_due = true, .has_sent = true, .sent = UINT64_MAX};
	pl_sample samples[] = {
		{.trajectory = PL_INIT("t"), .labels = labels, .labels_len = 2, .timing = &timing, .answer = &answer, .chunks = chunks, .chunks_len = 2, .more = true},
		{.trajectory = PL_INIT("u"), .turn = 9, .truth = PL_INIT("\"v\"")},
	};
	add_seed(&pl_layout_check_request, &(pl_check_request){.samples = samples, .samples_len = 2});
	add_seed(&pl_layout_check_request, &(pl_check_request){.samples = samples, .samples_len = 1});
	uint32_t turns[] = {0, 200, 70000};
	pl_after after = {.turns = turns, .turns_len = 3};
	pl_filler filler = {.tokens = 5, .key = PL_INIT("key"), .scope = PL_SCOPE_RUN};
	pl_piece pieces[] = {{.text = PL_INIT("")}, {.filler = &filler}, {.has_answer_of_turn = true}};
	pl_composed composed = {.role = PL_INIT("user"), .pieces = pieces, .pieces_len = 3};
	pl_message messages[] = {{.json = PL_INIT("{}")}, {.composed = &composed}};
	pl_turn turn = {.append = messages, .append_len = 2, .after = &after, .has_fork_of = true, .labels = labels, .labels_len = 1};
	pl_trajectory trajectory = {.id = PL_INIT("i"), .turns = &turn, .turns_len = 1, .has_start_offset_ns = true};
	add_seed(&pl_layout_plan_response, &(pl_plan_response){&trajectory});
	pl_capability granted[] = {PL_CAPABILITY_INPUTS, -5, 1 << 20};
	pl_input input = {.name = PL_INIT("text"), .size = 40};
	static const char *const names[] = {"work", "check", "score", "count"};
	for (size_t i = 0; i < 4; i++)
		add_seed(&pl_layout_open_request, &(pl_open_request){.component = pl_str_of(names[i]), .config = PL_INIT("{\"counts\":3,\"x\":[1]}"), .inputs = &input, .inputs_len = 1, .granted = granted, .granted_len = 3});
	add_seed(&pl_layout_next_request, &(pl_next_request){.state = PL_INIT("s"), .turn = 1, .answer = &answer});
	add_seed(&pl_layout_fold_request, &(pl_fold_request){.account = PL_INIT("12345678"), .batch = PL_INIT("12345678")});
	pl_fact fact = {.probe = PL_INIT("p"), .status = 200, .headers = labels, .headers_len = 2};
	add_seed(&pl_layout_conclude_request, &(pl_conclude_request){.facts = &fact, .facts_len = 1, .metrics = PL_INIT("{}")});
	add_seed(&pl_layout_plan_request, &(pl_plan_request){.index = 1u << 31, .repeat = 2, .seed = PL_INIT("0123")});
}

// round_trip reads bytes as a message; where that works, what it writes is read again and gives the same bytes.
static void round_trip(const pl_layout *l, const uint8_t *data, size_t len)
{
	pl_arena a = {0};
	pl_decode_fault fault;
	uint8_t *exact = malloc(len == 0 ? 1 : len); // so that a sanitizer sees its end
	PL_EXPECT(exact != NULL);
	memcpy(exact, data, len);
	void *m = pl_arena_alloc(&a, l->size), *back = pl_arena_alloc(&a, l->size);
	if (pl_decode(l, m, exact, len, &a, &fault)) {
		uint64_t size = pl_encoded_size(l, m, 1 << 20);
		uint8_t *first = pl_arena_alloc(&a, (size_t)size), *second = pl_arena_alloc(&a, (size_t)size);
		pl_encode(l, m, first, (size_t)size);
		PL_EXPECT(pl_decode(l, back, first, (size_t)size, &a, &fault));
		PL_EXPECT(pl_encoded_size(l, back, 1 << 20) == size);
		pl_encode(l, back, second, (size_t)size);
		PL_EXPECT(size == 0 || memcmp(first, second, (size_t)size) == 0);
	}
	pl_arena_reset(&a);
	free(exact);
}

static const pl_layout *const layouts[] = {
#define LAYOUT(layout, type) &layout,
	PL_EVERY_MESSAGE(LAYOUT)
};

static const pl_method methods[] = {PL_METHOD_DESCRIBE, PL_METHOD_OPEN, PL_METHOD_CHECK_INPUTS, PL_METHOD_PLAN, PL_METHOD_NEXT, PL_METHOD_PREFLIGHT, PL_METHOD_CHECK,
	PL_METHOD_FOLD_CHECK, PL_METHOD_CONCLUDE_CHECK, PL_METHOD_SCORE, PL_METHOD_FOLD_SCORE, PL_METHOD_CONCLUDE_SCORE, PL_METHOD_EVALUATE, PL_METHOD_COUNT};

static pl_test *start(void)
{
	static const char *const names[] = {"work", "check", "score", "count"};
	pl_test *t = pl_test_new(&every);
	pl_test_input(t, "text", "{}\nno json\n\n[1]", 15);
	if (random_below(8) > 0)
		PL_EXPECT(pl_test_open(t, names[random_below(4)], NULL, NULL) == PL_OK);
	if (random_below(4) == 0)
		pl_test_fail_allocation(t, random_below(100));
	return t;
}

int main(void)
{
	const char *set = getenv("FUZZ_ROUNDS");
	long rounds = set != NULL ? atol(set) : 20000;
	uint8_t b[MAX_LEN];
	make_seeds();
	pl_test *t = NULL;
	for (long i = 0; i < rounds; i++) {
		size_t s = random_below((unsigned)seeds_len);
		memcpy(b, seeds[s], seed_lens[s]);
		size_t len = mutate(b, seed_lens[s]);
		round_trip(layouts[random_below(sizeof layouts / sizeof *layouts)], b, len);
		if (i % 20 == 0) {
			if (t != NULL)
				pl_test_free(t);
			t = start();
		}
		pl_str reply;
		(void)pl_test_raw(t, methods[random_below(sizeof methods / sizeof *methods)], b, len, &reply); // it checks the reply
	}
	if (t != NULL)
		pl_test_free(t);
	while (seeds_len > 0)
		free(seeds[--seeds_len]);
	printf("fuzz: ok, %ld messages\n", rounds);
}
