// An instance: the life of a component, statuses, batches in several requests, and want of memory.

#include <stdio.h>
#include <string.h>

#include "every.h"
#include "host.h"
#include "paceline_test.h"

static const char text[] = "{\"a\":1}\nno json\n[]\n";

static pl_test *start(const char *component, const char *config)
{
	pl_test *t = pl_test_new(&every);
	const pl_open_response *opened;
	pl_test_input(t, "text", text, sizeof text - 1);
	PL_EXPECT(pl_test_open(t, component, config, &opened) == PL_OK && opened->faults_len == 0);
	return t;
}

static bool says(pl_test *t, const char *want) { return strcmp(pl_test_text(t), want) == 0; }

static void test_before_open(void)
{
	pl_test *t = pl_test_new(&every);
	pl_str reply;
	PL_EXPECT(pl_test_raw(t, PL_METHOD_PLAN, NULL, 0, &reply) == PL_FAILED_PRECONDITION && says(t, "method 16 before open"));
	PL_EXPECT(pl_test_raw(t, 4711, NULL, 0, &reply) == PL_FAILED_PRECONDITION);
	PL_EXPECT(pl_test_raw(t, PL_METHOD_DESCRIBE, "\xff", 1, &reply) == PL_OK && reply.len > 20);
	PL_EXPECT(pl_test_open(t, "nothing", NULL, NULL) == PL_NOT_FOUND && says(t, "plugin every has no component nothing"));
	PL_EXPECT(pl_test_raw(t, PL_METHOD_OPEN, "\x0a\x09x", 3, &reply) == PL_INVALID_ARGUMENT && says(t, "decode OpenRequest: field 1: truncated"));
	PL_EXPECT(pl_test_open(t, "work", NULL, NULL) == PL_OK);
	PL_EXPECT(pl_test_open(t, "work", NULL, NULL) == PL_FAILED_PRECONDITION && says(t, "the instance is open already"));
	PL_EXPECT(pl_test_call(t, PL_METHOD_PLAN, &(pl_plan_request){0}, NULL) == PL_OK);
	pl_test_free(t);
}

static void test_methods_of_others(void)
{
	pl_test *t = start("count", NULL);
	static const pl_method others[] = {PL_METHOD_CHECK_INPUTS, PL_METHOD_PLAN, PL_METHOD_NEXT, PL_METHOD_PREFLIGHT, PL_METHOD_CHECK, PL_METHOD_FOLD_CHECK,
		PL_METHOD_CONCLUDE_CHECK, PL_METHOD_SCORE, PL_METHOD_FOLD_SCORE, PL_METHOD_CONCLUDE_SCORE, PL_METHOD_EVALUATE, 0, 99, 65 + 65536, -1};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		pl_str reply;
		PL_EXPECT(pl_test_raw(t, others[i], "\xff", 1, &reply) == PL_UNIMPLEMENTED);
	}
	pl_test_free(t);
}

static void test_open(void)
{
	const pl_open_response *o;
	pl_test *t = pl_test_new(&every);
	PL_EXPECT(pl_test_open(t, "work", "{\"b\":[{}],\"counts\":-1}", &o) == PL_OK && o->faults_len == 2 && o->workload == NULL);
	PL_EXPECT(pl_equal_c(o->faults[0].pointer, "/b") && pl_equal_c(o->faults[1].expected, "a whole number"));
	PL_EXPECT(pl_test_open(t, "work", "[", &o) == PL_OK && pl_equal_c(o->faults[0].code, "malformed"));
	PL_EXPECT(pl_test_open(t, "work", "{\"fail\":\"so\\u0021\"}", &o) == PL_ABORTED && says(t, "so!"));
	PL_EXPECT(pl_test_open(t, "work", "{}", &o) == PL_OK && o->workload->live && o->prepared.len == 4 && o->losses_len == 1);
	pl_test_free(t);
	t = pl_test_new(&every);
	PL_EXPECT(pl_test_open(t, "work", "{\"trap\":1}", &o) == PL_TEST_TRAPPED && strcmp(pl_test_log(t, 0), "3 the configuration asks for it") == 0);
	PL_EXPECT(pl_test_call(t, PL_METHOD_PLAN, &(pl_plan_request){0}, NULL) == PL_TEST_TRAPPED);
	pl_test_free(t);
}

static void test_status_text(void)
{
	static char config[6000];
	pl_test *t = pl_test_new(&every);
	int n = snprintf(config, sizeof config, "{\"fail\":\"xx");
	for (int i = 0; i < 1500; i++)
		n += snprintf(config + n, sizeof config - (size_t)n, "\xE2\x82\xAC");
	snprintf(config + n, sizeof config - (size_t)n, "\"}");
	PL_EXPECT(pl_test_open(t, "work", config, NULL) == PL_ABORTED);
	PL_EXPECT(strlen(pl_test_text(t)) == 2 + 1364 * 3); // whole characters
	pl_test_free(t);
	t = start("score", NULL);
	PL_EXPECT(pl_test_call(t, PL_METHOD_CONCLUDE_SCORE, &(pl_conclude_request){0}, NULL) == PL_UNKNOWN && says(t, ""));
	pl_test_free(t);
}

static void test_next(void)
{
	pl_test *t = start("work", NULL);
	pl_answer ok = {.outcome = PL_INIT("ok")};
	pl_next_response r;
	PL_EXPECT(pl_test_call(t, PL_METHOD_NEXT, &(pl_next_request){.state = PL_INIT("s"), .turn = 4, .answer = &ok}, &r) == PL_OK);
	PL_EXPECT(pl_equal_c(r.state, "s/4") && r.end == NULL && r.turns[0].index == 5);
	PL_EXPECT(pl_test_call(t, PL_METHOD_NEXT, &(pl_next_request){.turn = 1}, &r) == PL_OK && r.end != NULL);
	pl_test_free(t);
}

static void test_check_inputs(void)
{
	pl_test *t = start("work", NULL);
	pl_check_inputs_request q = {.max_faults = 10};
	pl_check_inputs_response r = {0};
	size_t faults = 0, steps = 0;
	for (; !r.done && steps < 10; steps++) {
		PL_EXPECT(pl_test_call(t, PL_METHOD_CHECK_INPUTS, &q, &r) == PL_OK);
		faults += r.faults_len;
		q.cursor = r.cursor;
	}
	PL_EXPECT(steps == 4 && faults == 1 && r.items == 3);
	pl_test_free(t);
}

static void test_counts(void)
{
	pl_test *t = start("count", "{\"counts\":1}");
	pl_sample s[2] = {{.turn = 0}, {.turn = 1}};
	pl_count_response r;
	PL_EXPECT(pl_test_call(t, PL_METHOD_COUNT, &(pl_count_request){.samples = s, .samples_len = 1}, &r) == PL_OK && r.counts_len == 1);
	PL_EXPECT(pl_test_call(t, PL_METHOD_COUNT, &(pl_count_request){.samples = s, .samples_len = 2}, &r) == PL_INTERNAL && says(t, "1 counts for 2 samples"));
	pl_test_free(t);
}

// batch sends five samples in requests of two, two and one, and gives the response to the last of them.
static pl_code batch(pl_test *t, pl_check_response *r)
{
	pl_sample s[5];
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	for (unsigned i = 0; i < 5; i++)
		s[i] = (pl_sample){.trajectory = pl_str_of(names[i]), .turn = i, .truth = PL_INIT("\"t\""), .more = i < 4};
	for (unsigned from = 0; from < 5; from += 2) {
		pl_code code = pl_test_call(t, PL_METHOD_CHECK, &(pl_check_request){.samples = s + from, .samples_len = from < 4 ? 2 : 1}, r);
		if (code != PL_OK)
			return code;
		PL_EXPECT(from == 4 || (r->findings_len == 0 && r->account.len == 0));
	}
	return PL_OK;
}

static void test_batches(void)
{
	pl_test *t = start("check", NULL);
	pl_check_response r;
	for (int twice = 0; twice < 2; twice++) {
		PL_EXPECT(batch(t, &r) == PL_OK && r.findings_len == 5 && pl_load_u64(r.account.ptr) == 5);
		for (unsigned i = 0; i < 5; i++)
			PL_EXPECT(r.findings[i].turn == i && r.findings[i].trajectory.ptr[0] == (char)('a' + i) && pl_equal_c(r.findings[i].detail, "\"t\""));
	}
	pl_sample half = {.trajectory = PL_INIT("f"), .more = true};
	PL_EXPECT(pl_test_call(t, PL_METHOD_CHECK, &(pl_check_request){.samples = &half, .samples_len = 1}, &r) == PL_OK);
	pl_str reply;
	PL_EXPECT(pl_test_raw(t, PL_METHOD_CHECK, "\x0a\x7f", 2, &reply) == PL_INVALID_ARGUMENT);
	PL_EXPECT(pl_test_raw(t, PL_METHOD_CHECK, NULL, 0, &reply) == PL_OK && reply.len > 1); // without samples it is whole too
	PL_EXPECT(pl_test_call(t, PL_METHOD_CHECK, &(pl_check_request){.samples = &half, .samples_len = 1}, &r) == PL_OK);
	pl_test_free(t); // with a batch that nobody ended
}

// With each allocation failing in turn, an answer is right, or says that memory is wanting, or the instance is gone.
static void test_want_of_memory(void)
{
	unsigned statuses = 0, traps = 0;
	bool whole = false;
	for (size_t n = 1; !whole && n < 1000; n++) {
		pl_test *t = pl_test_new(&every);
		pl_test_fail_allocation(t, n);
		pl_check_response r = {0};
		pl_code code = pl_test_open(t, "check", NULL, NULL);
		if (code == PL_OK)
			code = batch(t, &r);
		PL_EXPECT(code == PL_OK || code == PL_RESOURCE_EXHAUSTED || code == PL_TEST_TRAPPED);
		PL_EXPECT(code != PL_OK || (r.findings_len == 5 && r.account.len == 8));
		whole = code == PL_OK && n > 20;
		statuses += code == PL_RESOURCE_EXHAUSTED;
		traps += code == PL_TEST_TRAPPED;
		pl_test_free(t);
	}
	PL_EXPECT(whole && statuses > 5 && traps > 5);
}

static void test_memory_stays_level(void)
{
	pl_test *t = start("check", NULL);
	pl_test_memory(t, 20000); // far less than all calls take together
	pl_check_response r;
	for (int i = 0; i < 200; i++)
		PL_EXPECT(batch(t, &r) == PL_OK);
	pl_test_free(t);
}

static void test_definition(void)
{
	static const pl_offer offers[] = {{.name = "A"}, {.name = "b"}, {.name = "b", .inputs_len = 1}};
	const pl_plugin bad = {.name = "-", .version = "1.0", .offers = offers, .offers_len = 3};
	PL_EXPECT(strcmp(pl_test_definition(&every), "") == 0);
	const char *faults = pl_test_definition(&bad);
	static const char *const want[] = {"plugin name \"-\"", "version \"1.0\"", "component name \"A\"", "b: exactly one of", "b: defined twice", "lacks PL_CAPABILITY_INPUTS"};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		PL_EXPECT(strstr(faults, want[i]) != NULL);
}

int main(void)
{
	test_before_open();
	test_methods_of_others();
	test_open();
	test_status_text();
	test_next();
	test_check_inputs();
	test_counts();
	test_batches();
	test_want_of_memory();
	test_memory_stays_level();
	test_definition();
	puts("instance: ok");
}
