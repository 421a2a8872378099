// JSON, numbers and formats.

#include <stdio.h>
#include <string.h>

#include "../src/instance.h"
#include "host.h"
#include "paceline_test.h"

static pl_instance instance;
static pl_call call = {.instance = &instance};

static void test_reader(void)
{
	static const char document[] = " {\"a\": [1, -2.5e3, true, {}], \"\\u0062\\n\": null, \"c\":\"\\ud83d\\ude00\\ud83dx\"} ";
	static const pl_json_kind kinds[] = {PL_JSON_OBJECT, PL_JSON_KEY, PL_JSON_ARRAY, PL_JSON_NUMBER, PL_JSON_NUMBER, PL_JSON_TRUE, PL_JSON_OBJECT,
		PL_JSON_OBJECT_END, PL_JSON_ARRAY_END, PL_JSON_KEY, PL_JSON_NULL, PL_JSON_KEY, PL_JSON_STRING, PL_JSON_OBJECT_END, PL_JSON_END, PL_JSON_END};
	pl_json j;
	pl_json_start(&j, pl_str_of(document));
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		PL_EXPECT(pl_json_next(&j) == kinds[i]);
		if (i == 9)
			PL_EXPECT(pl_equal_c(pl_json_text(&call, &j), "b\n"));
		if (i == 12)
			PL_EXPECT(pl_equal_c(pl_json_text(&call, &j), "\xF0\x9F\x98\x80\xEF\xBF\xBDx"));
	}
}

static void test_skip(void)
{
	pl_json j;
	pl_str raw;
	pl_json_start(&j, PL_STR("{\"a\":[[1],{\"b\":[]}],\"c\": {\"d\":1} ,\"e\":5}"));
	PL_EXPECT(pl_json_next(&j) == PL_JSON_OBJECT && pl_json_next(&j) == PL_JSON_KEY && pl_json_skip(&j));
	PL_EXPECT(pl_json_next(&j) == PL_JSON_KEY && pl_json_is_key(&call, &j, "c"));
	PL_EXPECT(pl_json_raw(&j, &raw) && pl_equal_c(raw, "{\"d\":1}"));
	uint64_t v;
	PL_EXPECT(pl_json_next(&j) == PL_JSON_KEY && pl_json_next(&j) == PL_JSON_NUMBER && pl_json_u64(&j, &v) && v == 5);
	PL_EXPECT(pl_json_next(&j) == PL_JSON_OBJECT_END && pl_json_next(&j) == PL_JSON_END);
}

static void test_depth(void)
{
	static char deep[2 * PL_JSON_DEPTH + 2];
	memset(deep, '[', PL_JSON_DEPTH);
	memset(deep + PL_JSON_DEPTH, ']', PL_JSON_DEPTH);
	PL_EXPECT(pl_json_valid((pl_str){deep, 2 * PL_JSON_DEPTH}));
	memset(deep, '[', sizeof deep);
	pl_json j;
	pl_json_start(&j, (pl_str){deep, sizeof deep});
	while (pl_json_next(&j) == PL_JSON_ARRAY) {
	}
	PL_EXPECT(j.kind == PL_JSON_ERROR && strcmp(j.error, "nested too deeply") == 0 && j.depth == PL_JSON_DEPTH);
}

static void test_malformed(void)
{
	static const char *const cases[] = {"", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "[1 2]", "]", "01", "-", "1.", "1e", ".5", "+1", "tru", "nul",
		"\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\", "\"\\u12", "\"\n\"", "1 1", "{\"a\":}", "[}", "{]", "\x01", "[\"\\ud8\"]", "truefalse"};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		PL_EXPECT(!pl_json_valid(pl_str_of(cases[i])));
	PL_EXPECT(!pl_json_valid(PL_STR("1\0")) && !pl_json_valid((pl_str){NULL, 0}));
	PL_EXPECT(pl_json_valid(PL_STR("\"\xff\""))); // bytes stay
}

static void test_micro(void)
{
	const struct {
		const char *text;
		int64_t want;
	} good[] = {{"0", 0}, {"-0.0", 0}, {"1", 1000000}, {"-0.5", -500000}, {"0.000001", 1}, {"12.3400000000", 12340000}, {"1e3", 1000000000},
		{"10e-7", 1}, {"9223372036854.775807", INT64_MAX}, {"-9223372036854.775808", INT64_MIN}, {"0e999999999999", 0}};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		int64_t v = 7;
		PL_EXPECT(pl_parse_micro(pl_str_of(good[i].text), &v) && v == good[i].want);
	}
	static const char *const bad[] = {"", "-", "1.", ".1", "0.0000001", "1.5e-6000000", "9223372036854.775808", "1e13", "1e999999999999", "1e", "1e+", "0x1", "1 ", "1..2", "--1"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		int64_t v;
		PL_EXPECT(!pl_parse_micro(pl_str_of(bad[i]), &v));
	}
}

static void test_numbers(void)
{
	uint64_t u;
	int64_t i;
	PL_EXPECT(pl_parse_u64(PL_STR("18446744073709551615"), &u) && u == UINT64_MAX);
	PL_EXPECT(!pl_parse_u64(PL_STR("18446744073709551616"), &u) && !pl_parse_u64(PL_STR("-1"), &u) && !pl_parse_u64(PL_STR(""), &u));
	PL_EXPECT(pl_parse_i64(PL_STR("-9223372036854775808"), &i) && i == INT64_MIN && !pl_parse_i64(PL_STR("9223372036854775808"), &i));
	PL_EXPECT(pl_parse_i64(PL_STR("-1"), &i) && i == -1 && !pl_parse_i64(PL_STR("-"), &i));
	char b[8];
	pl_store_u64(b, 0x0123456789abcdefu);
	PL_EXPECT(pl_load_u64(b) == 0x0123456789abcdefu && b[0] == 1);
}

static void test_format(void)
{
	const char *volatile none = NULL;
	pl_str s = pl_format(&call, "%s|%.*s|%d|%u|%lld|%zu|%c|%04x|%5d|%05d|%%|%s", "a", PL_ARG(PL_STR("bc")), -7, 7u, INT64_MIN + 0LL, (size_t)9, 'z', 0xabu, -42, -42, none);
	PL_EXPECT(pl_equal_c(s, "a|bc|-7|7|-9223372036854775808|9|z|00ab|  -42|-0042|%|"));
	pl_buf b = pl_buf_new(&call);
	for (int i = 0; i < 5000; i++)
		pl_putf(&b, "%d,", i);
	PL_EXPECT(b.len == 23890 && pl_starts_with(pl_buf_str(&b), PL_STR("0,1,2,")));
}

int main(void)
{
	test_reader();
	test_skip();
	test_depth();
	test_malformed();
	test_micro();
	test_numbers();
	test_format();
	pl_arena_reset(&call.arena);
	puts("json: ok");
}
