// Memory that is given out piece by piece and taken back at once.

#ifndef PACELINE_ARENA_H
#define PACELINE_ARENA_H

#include "paceline/text.h"

// What the SDK asks of the system below it. src/wasm.c has it for modules, testing/host.c for tests.
void *pl_system_alloc(size_t size); // a block of 16-byte alignment; NULL where there is none
void pl_system_free(void *block);
void pl_system_log(uint32_t level, const char *text, size_t len);
int64_t pl_system_read(uint32_t handle, uint64_t offset, void *to, size_t len);
_Noreturn void pl_system_trap(void);

typedef struct pl_chunk pl_chunk;

typedef struct pl_arena {
	pl_chunk *last; // the chunk that is being filled; the others hang on it
	size_t next;    // size of the next chunk
} pl_arena;

// Gives zeroed memory; NULL where there is none.
void *pl_arena_alloc(pl_arena *a, size_t size);

// Likewise for count elements; NULL too where their size is beyond all memory.
void *pl_arena_array(pl_arena *a, size_t count, size_t size);

// Takes everything back.
void pl_arena_reset(pl_arena *a);

// Moves everything that from has given out to a; from is empty afterwards.
void pl_arena_take(pl_arena *a, pl_arena *from);

#endif
