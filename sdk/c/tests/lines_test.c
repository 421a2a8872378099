// The line scanner, over an input in memory.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/instance.h"
#include "host.h"
#include "paceline_test.h"

static pl_instance instance;
static pl_call call = {.instance = &instance};
static pl_input input;

static void use(pl_str data)
{
	pl_test_current.inputs_len = 1;
	pl_test_current.data[0] = data;
	input = (pl_input){.name = PL_INIT("text"), .size = data.len};
}

static void test_lines(void)
{
	use(PL_STR("\xEF\xBB\xBFone\n\n \t\r\ntwo\r\n\rthree\r\r\nfour"));
	const struct {
		const char *text;
		uint64_t line, offset, next;
	} want[] = {{"one", 1, 3, 7}, {"two", 4, 12, 17}, {"\rthree\r", 5, 17, 26}, {"four", 6, 26, 30}};
	pl_lines l = pl_lines_new(&call, &input);
	for (size_t i = 0; i < 4; i++) {
		PL_EXPECT(pl_lines_next(&l));
		PL_EXPECT(pl_equal_c(l.text, want[i].text) && l.line == want[i].line && l.offset == want[i].offset && l.next == want[i].next);
	}
	PL_EXPECT(!pl_lines_next(&l) && pl_lines_code(&l) == PL_OK && !pl_lines_next(&l));
	pl_lines_resume(&l, 12, 3);
	PL_EXPECT(pl_lines_next(&l) && pl_equal_c(l.text, "two") && l.line == 4);
}

static void test_long_lines(void)
{
	size_t len = 700000;
	char *big = malloc(len);
	PL_EXPECT(big != NULL);
	memset(big, 'x', len);
	big[300000] = big[600000] = '\n';
	use((pl_str){big, len});
	pl_lines l = pl_lines_new(&call, &input);
	PL_EXPECT(pl_lines_next(&l) && l.text.len == 300000);
	PL_EXPECT(pl_lines_next(&l) && l.text.len == 299999 && l.text.ptr[0] == 'x');
	PL_EXPECT(pl_lines_next(&l) && l.text.len == 99999 && !pl_lines_next(&l));
	l = pl_lines_new(&call, &input);
	l.max_line = 299999;
	PL_EXPECT(!pl_lines_next(&l) && pl_lines_code(&l) == PL_UNKNOWN && pl_equal_c(call.text, "line 1: line too long"));
	pl_lines_resume(&l, 300001, 1);
	PL_EXPECT(pl_lines_next(&l) && l.line == 2);
	free(big);
}

static void test_reading_fails(void)
{
	use(PL_STR("abc"));
	input.handle = 9;
	pl_lines l = pl_lines_new(&call, &input);
	PL_EXPECT(!pl_lines_next(&l) && pl_equal_c(call.text, "read input text at 0: no such input, or not granted"));
	input.handle = 0;
	input.size = 10;
	l = pl_lines_new(&call, &input);
	PL_EXPECT(!pl_lines_next(&l) && pl_lines_code(&l) == PL_UNKNOWN && !pl_lines_next(&l));
	use(PL_STR(""));
	l = pl_lines_new(&call, &input);
	PL_EXPECT(!pl_lines_next(&l) && pl_lines_code(&l) == PL_OK);
	pl_lines_resume(&l, 5, 1); // beyond the end
	PL_EXPECT(!pl_lines_next(&l) && pl_lines_code(&l) == PL_OK);
	char b[4];
	size_t got;
	PL_EXPECT(pl_input_read_at(&call, &input, UINT64_MAX, b, sizeof b, &got) == PL_UNKNOWN && got == 0);
}

int main(void)
{
	test_lines();
	test_long_lines();
	test_reading_fails();
	pl_arena_reset(&call.arena);
	puts("lines: ok");
}
