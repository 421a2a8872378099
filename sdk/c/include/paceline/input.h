// Reading the inputs of a run: data sets of any size, in place, and line by line.

#ifndef PACELINE_INPUT_H
#define PACELINE_INPUT_H

#include "paceline/contract.h"

// Reads bytes from an offset on. *got is less than len at the end of the input only. It returns PL_OK, or what pl_fail
// gave. Read in blocks of 64 KiB or more: each read is a call of the host.
pl_code pl_input_read_at(pl_call *call, const pl_input *in, uint64_t offset, void *to, size_t len, size_t *got);

// The length in bytes at which a line is refused unless max_line says otherwise.
#define PL_MAX_LINE ((size_t)64 << 20)

// Walks the lines of an input. Lines end with LF or CRLF, the last one with the input too; neither belongs to the line. A
// byte order mark at the start is skipped, and so are lines of spaces and tabs alone, which still count.
typedef struct pl_lines {
	pl_str text;     // the line; good until the next one
	uint64_t line;   // its number; the first line is 1
	uint64_t offset; // where in the input its first byte is
	uint64_t next;   // where in the input the line after it starts
	size_t max_line; // 0: PL_MAX_LINE

	// Not for authors.
	pl_call *call;
	const pl_input *in;
	char *buf;
	size_t room, from, to;
	uint64_t base;
	pl_code code;
} pl_lines;

// Starts at the beginning of an input. Its buffer is memory of the call.
pl_lines pl_lines_new(pl_call *call, const pl_input *in);

// Moves to an offset at which a line starts, as next gave it; line is the number of the line before it.
void pl_lines_resume(pl_lines *l, uint64_t offset, uint64_t line);

// Goes to the next line that is not blank; false at the end, and where reading failed.
bool pl_lines_next(pl_lines *l);

// PL_OK where the scan ended with the input; else what pl_fail gave, to be returned.
pl_code pl_lines_code(const pl_lines *l);

#endif
