#ifndef PACELINE_TEST_HOST_H
#define PACELINE_TEST_HOST_H

#include <setjmp.h>

#include "../src/instance.h"

#define PL_TEST_INPUTS 16
#define PL_TEST_LINES 1000

typedef struct pl_test_block pl_test_block;

// What the running instance sees of the world.
typedef struct pl_test_host {
	pl_input inputs[PL_TEST_INPUTS];
	pl_str data[PL_TEST_INPUTS];
	size_t inputs_len;
	char *lines[PL_TEST_LINES];
	size_t lines_len;
	size_t used, limit; // bytes
	pl_test_block *blocks;
	size_t fail_at;     // allocations until one fails
	bool catches;
	jmp_buf trap;
} pl_test_host;

extern pl_test_host pl_test_current;

// Takes back what an instance had that trapped.
void pl_test_free_all(void);

#endif
