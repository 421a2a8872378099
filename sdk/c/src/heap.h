// Blocks of linear memory. There are few of them at a time: requests, replies, and the chunks of arenas.

#ifndef PACELINE_HEAP_H
#define PACELINE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pl_block pl_block;

typedef struct pl_heap {
	// Gives more memory, at least *size bytes unless it is the first time, of 16-byte alignment and above all that was given
	// before; it sets *size to what there is. NULL: there is none.
	void *(*more)(size_t *size);
	pl_block *first; // NULL: nothing was asked for yet
	pl_block *end;   // the mark behind the last block
} pl_heap;

// Gives a block of 16-byte alignment; NULL where there is no memory.
void *pl_heap_alloc(pl_heap *h, size_t size);

// Whether p is a block that was given out, of at least that size.
bool pl_heap_holds(const pl_heap *h, const void *p, size_t size);

// Takes a block back. It returns false for what is none.
bool pl_heap_free(pl_heap *h, void *p);

#endif
