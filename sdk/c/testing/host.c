// The system below the SDK in an ordinary program: malloc, inputs in memory, and traps that come back to the test.

#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pl_test_host pl_test_current;

struct pl_test_block {
	pl_test_block *before, *after;
	size_t size;
	size_t padding;
};

void *pl_system_alloc(size_t size)
{
	pl_test_host *h = &pl_test_current;
	if (h->fail_at > 0 && --h->fail_at == 0)
		return NULL;
	if (h->limit > 0 && (size > h->limit || h->used > h->limit - size))
		return NULL;
	pl_test_block *b = malloc(sizeof *b + size);
	if (b == NULL)
		return NULL;
	*b = (pl_test_block){.after = h->blocks, .size = size};
	if (b->after != NULL)
		b->after->before = b;
	h->blocks = b;
	memset(b + 1, 0xa5, size); // what is not set must not look set
	h->used += size;
	return b + 1;
}

void pl_system_free(void *block)
{
	pl_test_block *b = (pl_test_block *)block - 1;
	pl_test_current.used -= b->size;
	if (b->after != NULL)
		b->after->before = b->before;
	if (b->before != NULL)
		b->before->after = b->after;
	else
		pl_test_current.blocks = b->after;
	free(b);
}

void pl_test_free_all(void)
{
	while (pl_test_current.blocks != NULL)
		pl_system_free(pl_test_current.blocks + 1);
}

void pl_system_log(uint32_t level, const char *text, size_t len)
{
	pl_test_host *h = &pl_test_current;
	char *line = malloc(len + 16);
	if (line == NULL || h->lines_len == PL_TEST_LINES) {
		free(line);
		return;
	}
	int n = snprintf(line, 16, "%u ", (unsigned)level);
	if (len > 0)
		memcpy(line + n, text, len);
	line[(size_t)n + len] = 0;
	h->lines[h->lines_len++] = line;
}

int64_t pl_system_read(uint32_t handle, uint64_t offset, void *to, size_t len)
{
	const pl_test_host *h = &pl_test_current;
	const size_t most = (size_t)1 << 16; // less than a real host's, so that callers go on
	if (handle >= h->inputs_len)
		return -1;
	pl_str data = h->data[handle];
	if (offset > INT64_MAX)
		return -3;
	if (offset >= data.len)
		return 0;
	size_t n = data.len - (size_t)offset;
	n = n < len ? n : len;
	n = n < most ? n : most;
	memcpy(to, data.ptr + offset, n);
	return (int64_t)n;
}

_Noreturn void pl_system_trap(void)
{
	if (pl_test_current.catches)
		longjmp(pl_test_current.trap, 1);
	fprintf(stderr, "trap: %s\n", pl_test_current.lines_len > 0 ? pl_test_current.lines[pl_test_current.lines_len - 1] : "no reason was given");
	abort();
}

_Noreturn void pl_test_stop(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	exit(1);
}
