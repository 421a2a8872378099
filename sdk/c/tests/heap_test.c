// The blocks of a module's memory, over a region that stands in for it.

#include <stdio.h>
#include <string.h>

#include "../src/heap.h"
#include "paceline_test.h"

enum { PAGE = 4096, PAGES = 64, BLOCKS = 40 };

static _Alignas(16) unsigned char region[PAGE * PAGES];
static size_t given, skip;

// more gives pages in order and leaves out some where skip says that somebody else took them.
static void *more(size_t *size)
{
	size_t wanted = (*size + PAGE - 1) / PAGE;
	given += skip;
	skip = 0;
	if (given > PAGES || wanted > PAGES - given)
		return NULL;
	void *start = region + given * PAGE;
	given += wanted;
	*size = wanted * PAGE;
	return start;
}

static uint64_t random_state = 7;

static unsigned random_below(unsigned n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % n;
}

static void test_random(void)
{
	pl_heap h = {.more = more};
	struct {
		unsigned char *at;
		size_t size;
	} blocks[BLOCKS] = {{0}};
	given = 0;
	for (int step = 0; step < 20000; step++) {
		unsigned i = random_below(BLOCKS);
		if (blocks[i].at == NULL) {
			blocks[i].size = random_below(step % 10 == 0 ? 3 * PAGE : 300);
			blocks[i].at = pl_heap_alloc(&h, blocks[i].size);
			PL_EXPECT(blocks[i].at != NULL && (uintptr_t)blocks[i].at % 16 == 0);
			memset(blocks[i].at, (int)i, blocks[i].size);
		} else {
			for (size_t k = 0; k < blocks[i].size; k++)
				PL_EXPECT(blocks[i].at[k] == i);
			PL_EXPECT(pl_heap_holds(&h, blocks[i].at, blocks[i].size));
			PL_EXPECT(pl_heap_free(&h, blocks[i].at) && !pl_heap_free(&h, blocks[i].at));
			blocks[i].at = NULL;
		}
		if (step == 5000)
			skip = 3;
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		PL_EXPECT(blocks[i].at == NULL || pl_heap_free(&h, blocks[i].at));
	size_t before = given;
	void *large = pl_heap_alloc(&h, PAGE * 4); // what was given back is one block again
	PL_EXPECT(large != NULL && given == before);
}

static void test_limits(void)
{
	pl_heap h = {.more = more};
	given = 0;
	PL_EXPECT(pl_heap_alloc(&h, SIZE_MAX) == NULL);
	PL_EXPECT(pl_heap_alloc(&h, PAGE * PAGES) == NULL);
	PL_EXPECT(!pl_heap_holds(&h, region + 16, 1) && !pl_heap_free(&h, region));
	void *all = pl_heap_alloc(&h, PAGE * PAGES - 32);
	PL_EXPECT(all == region + 16 && pl_heap_alloc(&h, 1) == NULL);
	PL_EXPECT(!pl_heap_holds(&h, all, PAGE * PAGES) && !pl_heap_holds(&h, (char *)all + 16, 1) && !pl_heap_holds(&h, (char *)all + 1, 1));
	PL_EXPECT(pl_heap_free(&h, all));
	PL_EXPECT(pl_heap_alloc(&h, 0) == region + 16);
}

int main(void)
{
	test_random();
	test_limits();
	puts("heap: ok");
}
