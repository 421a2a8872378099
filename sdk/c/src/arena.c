#include "arena.h"

// Sizes of chunks in bytes. With 0 as the first one each piece has a block of its own, so that tests with a sanitizer see
// what is touched outside of it.
#ifndef PL_ARENA_FIRST
#define PL_ARENA_FIRST ((size_t)16 << 10)
#endif
#define ARENA_LAST ((size_t)1 << 20)

#define ALIGN ((size_t)16)

struct pl_chunk {
	pl_chunk *before;
	size_t room; // bytes behind this head that can be given out
	size_t used;
	size_t padding; // keeps the head a multiple of the alignment on 32 and 64 bits
};

_Static_assert(sizeof(pl_chunk) % 16 == 0, "what follows a chunk's head must be aligned");

static pl_chunk *chunk_new(pl_arena *a, size_t size)
{
	size_t room = a->next != 0 ? a->next : PL_ARENA_FIRST;
	if (room < size)
		room = size;
	else if (PL_ARENA_FIRST != 0 && room < ARENA_LAST)
		a->next = room * 2;
	pl_chunk *c = pl_system_alloc(sizeof *c + room);
	if (c == NULL && room > size) { // what is left may do for this piece
		room = size;
		c = pl_system_alloc(sizeof *c + room);
	}
	if (c == NULL)
		return NULL;
	*c = (pl_chunk){.before = a->last, .room = room};
	a->last = c;
	return c;
}

void *pl_arena_alloc(pl_arena *a, size_t size)
{
	if (size > SIZE_MAX / 4)
		return NULL;
	size_t asked = size;
	size = size == 0 ? ALIGN : (size + ALIGN - 1) & ~(ALIGN - 1);
	if (PL_ARENA_FIRST == 0 && asked != 0)
		size = asked; // exactly, for sanitizers
	pl_chunk *c = a->last;
	if (c == NULL || c->room - c->used < size)
		c = chunk_new(a, size);
	if (c == NULL)
		return NULL;
	unsigned char *piece = (unsigned char *)(c + 1) + c->used;
	c->used += size;
	__builtin_memset(piece, 0, size);
	return piece;
}

void *pl_arena_array(pl_arena *a, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size)
		return NULL;
	return pl_arena_alloc(a, count * size);
}

void pl_arena_reset(pl_arena *a)
{
	for (pl_chunk *c = a->last; c != NULL;) {
		pl_chunk *before = c->before;
		pl_system_free(c);
		c = before;
	}
	*a = (pl_arena){0};
}

void pl_arena_take(pl_arena *a, pl_arena *from)
{
	pl_chunk *first = from->last;
	if (first == NULL)
		return;
	while (first->before != NULL)
		first = first->before;
	first->before = a->last;
	*a = *from;
	*from = (pl_arena){0};
}
