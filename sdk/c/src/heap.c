#include "heap.h"

#include <stdint.h>

enum { FREE = 0x66726565, USED = 0x75736564, END = 0x656e6421 };

// Blocks lie one behind the other, each with this head, and a mark without bytes behind the last one. Free neighbours are
// joined when a block is looked for.
struct pl_block {
	size_t size; // bytes behind the head
	uint32_t state;
	unsigned char padding[16 - sizeof(size_t) - sizeof(uint32_t)];
};

_Static_assert(sizeof(pl_block) == 16, "blocks must be aligned");

static unsigned char *bytes_of(pl_block *b) { return (unsigned char *)(b + 1); }
static pl_block *next_of(pl_block *b) { return (pl_block *)(void *)(bytes_of(b) + b->size); }

// add_region makes one free block and a mark of fresh memory.
static pl_block *add_region(pl_heap *h, void *start, size_t size)
{
	pl_block *b = start;
	*b = (pl_block){.size = size - 2 * sizeof *b, .state = FREE};
	h->end = next_of(b);
	*h->end = (pl_block){.state = END};
	return b;
}

static bool extend(pl_heap *h, size_t size)
{
	size_t got = size + 2 * sizeof(pl_block);
	unsigned char *start = h->more(&got);
	if (start == NULL || got < 64)
		return false;
	got &= ~(size_t)15;
	if (h->first == NULL) {
		h->first = add_region(h, start, got);
		return true;
	}
	pl_block *mark = h->end;
	size_t gap = (size_t)(start - bytes_of(mark));
	if (gap == 0) { // the mark becomes the head of what is new
		mark->size = got - sizeof *mark;
		mark->state = FREE;
		h->end = next_of(mark);
		*h->end = (pl_block){.state = END};
		return true;
	}
	add_region(h, start, got);
	mark->size = gap; // somebody else's memory, which is never taken back
	mark->state = USED;
	return true;
}

// join makes one block of a free block and all free ones behind it.
static void join(pl_block *b)
{
	for (pl_block *n = next_of(b); n->state == FREE; n = next_of(b))
		b->size += sizeof *n + n->size;
}

static void *take(pl_block *b, size_t size)
{
	if (b->size - size >= 2 * sizeof *b) {
		size_t rest = b->size - size - sizeof *b;
		b->size = size;
		*next_of(b) = (pl_block){.size = rest, .state = FREE};
	}
	b->state = USED;
	return bytes_of(b);
}

void *pl_heap_alloc(pl_heap *h, size_t size)
{
	if (size > SIZE_MAX / 4)
		return NULL;
	size = size == 0 ? 16 : (size + 15) & ~(size_t)15;
	for (;;) {
		size_t last = 0; // free bytes before the mark
		for (pl_block *b = h->first; b != NULL && b->state != END; b = next_of(b)) {
			last = 0;
			if (b->state != FREE)
				continue;
			join(b);
			if (b->size >= size)
				return take(b, size);
			last = b->size;
		}
		if (!extend(h, size - last))
			return NULL;
	}
}

bool pl_heap_holds(const pl_heap *h, const void *p, size_t size)
{
	uintptr_t at = (uintptr_t)p;
	if (h->first == NULL || at % 16 != 0 || at < (uintptr_t)(h->first + 1) || at >= (uintptr_t)h->end)
		return false;
	const pl_block *b = (const pl_block *)p - 1;
	return b->state == USED && b->size >= size;
}

bool pl_heap_free(pl_heap *h, void *p)
{
	if (!pl_heap_holds(h, p, 0))
		return false;
	((pl_block *)p - 1)->state = FREE;
	return true;
}
