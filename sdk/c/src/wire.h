// Fields as they stand in an encoding.

#ifndef PACELINE_WIRE_H
#define PACELINE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Wire types.
enum { PL_WIRE_VARINT = 0, PL_WIRE_FIXED64 = 1, PL_WIRE_BYTES = 2, PL_WIRE_START = 3, PL_WIRE_END = 4, PL_WIRE_FIXED32 = 5 };

// Bytes that are still to be read.
typedef struct pl_cursor {
	const uint8_t *at;
	const uint8_t *end;
} pl_cursor;

// One field as it was read.
typedef struct pl_wire {
	uint32_t number; // 0: the tag itself is at fault
	uint32_t type;
	uint64_t value;  // of a varint
	pl_cursor bytes; // of a length-delimited field
} pl_wire;

// Reads a varint, or a whole field. They return NULL, or what is wrong with the bytes.
const char *pl_take_varint(pl_cursor *c, uint64_t *value);
const char *pl_take_field(pl_cursor *c, pl_wire *w);

size_t pl_varint_size(uint64_t value);

#endif
