// The codec: what is refused, what is skipped, presence, and oneofs.

#include <stdio.h>
#include <string.h>

#include "../src/tables_gen.h"
#include "host.h"
#include "paceline_test.h"

static pl_arena arena;
static pl_decode_fault fault;
static char blocks[1 << 16];

// read reads bytes that lie at the very end of a block, so that a sanitizer sees what is read beyond them.
static bool read_as(const pl_layout *l, void *m, pl_str data)
{
	char *at = blocks + sizeof blocks - data.len;
	pl_copy(at, data.ptr, data.len);
	memset(m, 0, l->size);
	return pl_decode(l, m, (const uint8_t *)at, data.len, &arena, &fault);
}

static pl_str write_of(const pl_layout *l, const void *m)
{
	uint64_t size = pl_encoded_size(l, m, 1 << 20);
	uint8_t *b = pl_arena_alloc(&arena, (size_t)size);
	pl_encode(l, m, b, (size_t)size);
	return (pl_str){(char *)b, (size_t)size};
}

static void test_faults(void)
{
	static char deep[202];
	for (size_t i = 0; i < sizeof deep; i += 2)
		memcpy(deep + i, "\xfb\x07", 2);
	const struct {
		pl_str data;
		const char *why;
	} cases[] = {
		{PL_INIT("\x0a\x05" "ab"), "truncated"},
		{PL_INIT("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "truncated"},
		{PL_INIT("\x0a\xff\xff\xff\xff\x0f" "a"), "truncated"},
		{PL_INIT("\x80"), "truncated"},
		{PL_INIT("\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "varint above 64 bits"},
		{PL_INIT("\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), "varint above 64 bits"},
		{PL_INIT("\x00\x01"), "field number out of range"},
		{PL_INIT("\x0e"), "unknown wire type"},
		{PL_INIT("\x0c"), "group without its end"},
		{PL_INIT("\xfb\x07\x08\x01"), "truncated"},
		{PL_INIT("\xfb\x07\x0c"), "group without its end"},
		{{deep, sizeof deep}, "groups nested too deeply"},
		{PL_INIT("\xf9\x07\x01\x02"), "truncated"},
		{PL_INIT("\x0a\x01\xff"), "string is not valid UTF-8"},
		{PL_INIT("\x2a\x02\x08\x80"), "truncated"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		pl_trajectory t;
		PL_EXPECT(!read_as(&pl_layout_trajectory, &t, cases[i].data));
		PL_EXPECT(strcmp(fault.why, cases[i].why) == 0);
	}
	PL_EXPECT(fault.depth == 2 && strcmp(fault.path[0].name, "Turn") == 0 && fault.path[1].field == 5);
}

static void test_skips(void)
{
	static const char *const unknown[] = {"\xf8\x07\x05", "\xfa\x07\x02" "ab", "\xfd\x07" "abcd", "\xf9\x07" "abcdefgh", "\xfb\x07\x08\x01\xfb\x07\xfc\x07\xfc\x07", "\x08\x05"};
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		char data[64];
		int n = snprintf(data, sizeof data, "%s\x12\x04" "code", unknown[i]);
		pl_trajectory t;
		PL_EXPECT(read_as(&pl_layout_trajectory, &t, (pl_str){data, (size_t)n}));
		PL_EXPECT(pl_equal_c(t.domain, "code") && t.id.len == 0);
	}
}

static void test_oneof(void)
{
	pl_filler filler = {.tokens = 3};
	pl_piece p = {.text = PL_INIT("a"), .filler = &filler};
	PL_EXPECT(pl_equal(write_of(&pl_layout_piece, &p), PL_STR("\x0a\x01" "a")));
	PL_EXPECT(read_as(&pl_layout_piece, &p, PL_STR("\x0a\x00\x18\x07")));
	PL_EXPECT(p.text.ptr == NULL && p.has_answer_of_turn && p.answer_of_turn == 7);
	PL_EXPECT(read_as(&pl_layout_piece, &p, PL_STR("\x18\x07\x12\x00\x0a\x00")));
	PL_EXPECT(p.text.ptr != NULL && p.filler == NULL && !p.has_answer_of_turn);
	PL_EXPECT(pl_equal(write_of(&pl_layout_piece, &p), PL_STR("\x0a\x00")));
}

static void test_presence(void)
{
	pl_turn empty = {0}, back;
	pl_after after = {0};
	pl_turn zero = {.has_fork_of = true, .after = &after};
	PL_EXPECT(write_of(&pl_layout_turn, &empty).len == 0);
	PL_EXPECT(read_as(&pl_layout_turn, &back, write_of(&pl_layout_turn, &zero)));
	PL_EXPECT(back.has_fork_of && back.fork_of == 0 && back.after != NULL && back.after->turns_len == 0);
}

static void test_lists(void)
{
	pl_after a;
	PL_EXPECT(read_as(&pl_layout_after, &a, PL_STR("\x08\x01\x0a\x02\x02\x03\x08\x04\x0a\x00")));
	PL_EXPECT(pl_equal(write_of(&pl_layout_after, &a), PL_STR("\x0a\x04\x01\x02\x03\x04")));
	PL_EXPECT(!read_as(&pl_layout_after, &a, PL_STR("\x0a\x02\x02\x80")));
	// The parts of a message that comes in two parts are joined, lists too.
	pl_plan_response r;
	PL_EXPECT(read_as(&pl_layout_plan_response, &r, PL_STR("\x0a\x04\x2a\x02\x08\x01\x0a\x07\x2a\x02\x08\x02\x12\x01" "d")));
	PL_EXPECT(r.trajectory->turns_len == 2 && r.trajectory->turns[0].index == 1 && r.trajectory->turns[1].index == 2);
	PL_EXPECT(pl_equal_c(r.trajectory->domain, "d"));
}

static void test_invalid_text(void)
{
	pl_finding f = {.code = PL_INIT("cut"), .message = PL_INIT("rune cut \xe2\x82 and \xff\xfe")}, back;
	PL_EXPECT(read_as(&pl_layout_finding, &back, write_of(&pl_layout_finding, &f)));
	PL_EXPECT(pl_equal_c(back.message, "rune cut \xEF\xBF\xBD and \xEF\xBF\xBD"));
}

static void test_size_limit(void)
{
	static char big[1000];
	pl_finding list[10];
	pl_check_response r = {.findings = list, .findings_len = 10};
	for (size_t i = 0; i < 10; i++)
		list[i] = (pl_finding){.detail = {big, sizeof big}};
	PL_EXPECT(pl_encoded_size(&pl_layout_check_response, &r, 1 << 20) == 10060);
	PL_EXPECT(pl_encoded_size(&pl_layout_check_response, &r, 10059) == 10060);
	PL_EXPECT(pl_encoded_size(&pl_layout_check_response, &r, 2500) == 2501);
	r.findings_len = 1u << 28; // more than there is: the sum is cut off before
	PL_EXPECT(pl_encoded_size(&pl_layout_check_response, &r, 5000) == 5001);
}

static void test_memory(void)
{
	pl_score_request r;
	static char many[20000]; // of empty samples
	for (size_t i = 0; i < sizeof many; i += 2)
		memcpy(many + i, "\x0a\x00", 2);
	pl_test_current.limit = pl_test_current.used + (1 << 16);
	PL_EXPECT(!read_as(&pl_layout_score_request, &r, (pl_str){many, sizeof many}));
	PL_EXPECT(fault.memory);
	pl_test_current.limit = 0;
	PL_EXPECT(read_as(&pl_layout_score_request, &r, (pl_str){many, sizeof many}));
	PL_EXPECT(r.samples_len == 10000);
}

int main(void)
{
	test_faults();
	test_skips();
	test_oneof();
	test_presence();
	test_lists();
	test_invalid_text();
	test_size_limit();
	test_memory();
	pl_arena_reset(&arena);
	puts("codec: ok");
}
