// Answers lines of standard input, for the tests that compare this SDK with others. A line is a task and bytes in
// hexadecimal; the answer is bytes too, or "!" where they are refused.
//
//	Turn HEX      reads a message and writes it again
//	valid HEX     is a document well-formed JSON?
//	quote HEX     writes a text as a JSON string
//	unquote HEX   reads a document that is one JSON string
//	random HEX    gives 300 random numbers of a seed, and as many below each of them

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/tables_gen.h"
#include "host.h"
#include "paceline_test.h"

static const pl_layout *const layouts[] = {
#define LAYOUT(layout, type) &layout,
	PL_EVERY_MESSAGE(LAYOUT)
};

static pl_instance instance;
static pl_call call = {.instance = &instance};

static void answer(pl_str bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		printf("%02x", (unsigned char)bytes.ptr[i]);
	puts("");
}

static void recode(const pl_layout *l, pl_str data)
{
	pl_decode_fault fault;
	void *m = pl_arena_alloc(&call.arena, l->size);
	if (!pl_decode(l, m, (const uint8_t *)data.ptr, data.len, &call.arena, &fault)) {
		puts("!");
		return;
	}
	uint64_t size = pl_encoded_size(l, m, PL_MAX_REPLY);
	uint8_t *out = pl_arena_alloc(&call.arena, (size_t)size);
	pl_encode(l, m, out, (size_t)size);
	answer((pl_str){(char *)out, (size_t)size});
}

static void unquote(pl_str data)
{
	pl_json j;
	pl_json_start(&j, data);
	if (pl_json_next(&j) != PL_JSON_STRING) {
		puts("!");
		return;
	}
	pl_str text = pl_json_text(&call, &j);
	if (pl_json_next(&j) == PL_JSON_END)
		answer(text);
	else
		puts("!");
}

static void draw(pl_str seed)
{
	pl_random r = pl_random_new(seed);
	char numbers[600 * 8];
	for (size_t i = 0; i < 600; i += 2) {
		uint64_t v = pl_random_u64(&r);
		pl_store_u64(numbers + 8 * i, v);
		pl_store_u64(numbers + 8 * (i + 1), pl_random_below(&r, (v >> v % 64) + 1));
	}
	answer((pl_str){numbers, sizeof numbers});
}

static void solve(const char *task, pl_str data)
{
	if (strcmp(task, "valid") == 0) {
		puts(pl_json_valid(data) ? "01" : "!");
	} else if (strcmp(task, "quote") == 0) {
		pl_buf b = pl_buf_new(&call);
		pl_put_json(&b, data);
		answer(pl_buf_str(&b));
	} else if (strcmp(task, "unquote") == 0) {
		unquote(data);
	} else if (strcmp(task, "random") == 0) {
		draw(data);
	} else {
		for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
			if (strcmp(layouts[i]->name, task) == 0)
				recode(layouts[i], data);
	}
}

static int hex(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

int main(void)
{
	static char line[1 << 22];
	while (fgets(line, sizeof line, stdin) != NULL) {
		char *data = strchr(line, ' ');
		if (data == NULL)
			return 1;
		*data++ = 0;
		size_t len = strcspn(data, "\n") / 2;
		char *bytes = malloc(len == 0 ? 1 : len);
		PL_EXPECT(bytes != NULL);
		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(hex(data[2 * i]) << 4 | hex(data[2 * i + 1]));
		solve(line, (pl_str){bytes, len});
		fflush(stdout); // who asks waits for it
		free(bytes);
		pl_arena_reset(&call.arena);
	}
}
