// Tests of the example: cc runs them as an ordinary program.

#include "echo.h"
#include "paceline_test.h"

#include <stdio.h>
#include <string.h>

static pl_test *start(const char *component)
{
	static const char text[] = "one\n\n\"two\"\r\n";
	pl_test *t = pl_test_new(&echo);
	const pl_open_response *opened;
	pl_test_input(t, "text", text, sizeof text - 1);
	PL_EXPECT(pl_test_open(t, component, NULL, &opened) == PL_OK && opened->faults_len == 0);
	return t;
}

static void test_definition(void)
{
	pl_test *t = pl_test_new(&echo);
	pl_describe_response d;
	PL_EXPECT(strcmp(pl_test_definition(&echo), "") == 0);
	PL_EXPECT(pl_test_call(t, PL_METHOD_DESCRIBE, &(pl_describe_request){.contract_version = 1}, &d) == PL_OK);
	PL_EXPECT(pl_equal_c(d.name, "echo") && d.components_len == 3 && d.components[2].kind == PL_KIND_SCORER);
	pl_test_free(t);
}

static void test_plan(void)
{
	pl_test *t = start("repeat");
	pl_plan_response r;
	PL_EXPECT(pl_test_call(t, PL_METHOD_PLAN, &(pl_plan_request){.index = 1}, &r) == PL_OK);
	const pl_turn *turn = &r.trajectory->turns[0];
	PL_EXPECT(pl_equal_c(turn->append[0].json, "{\"role\":\"user\",\"content\":\"Repeat exactly: \\\"two\\\"\"}"));
	PL_EXPECT(pl_equal_c(r.trajectory->id, "line-00000001") && pl_equal_c(turn->truth, "\"\\\"two\\\"\""));
	PL_EXPECT(pl_test_call(t, PL_METHOD_PLAN, &(pl_plan_request){.index = 2}, &r) == PL_OUT_OF_RANGE);
	PL_EXPECT(strcmp(pl_test_text(t), "no line 2: there are 2") == 0);
	PL_EXPECT(strcmp(pl_test_log(t, 0), "1 2 lines") == 0 && pl_test_log(t, 1) == NULL);
	pl_test_free(t);
}

static void test_open_faults(void)
{
	const pl_open_response *opened;
	pl_test *t = pl_test_new(&echo);
	PL_EXPECT(pl_test_open(t, "repeat", NULL, &opened) == PL_OK);
	PL_EXPECT(opened->faults_len == 1 && pl_equal_c(opened->faults[0].code, "missing-input"));
	pl_test_input(t, "text", "\n", 1);
	PL_EXPECT(pl_test_open(t, "repeat", NULL, &opened) == PL_OK); // a failed open may be tried again
	PL_EXPECT(opened->faults_len == 1 && pl_equal_c(opened->faults[0].code, "empty"));
	pl_test_free(t);
}

static void test_score(void)
{
	pl_test *t = start("exact");
	pl_answer one = {.message = PL_INIT("{\"content\":\"one\"}")}, two = {.message = PL_INIT("{\"content\":\"2\"}")};
	pl_sample samples[] = {
		{.truth = PL_INIT("\"one\""), .answer = &one},
		{.turn = 1, .truth = PL_INIT("\"two\""), .answer = &two},
		{.turn = 2, .truth = PL_INIT("\"three\"")},
	};
	pl_score_response r;
	PL_EXPECT(pl_test_call(t, PL_METHOD_SCORE, &(pl_score_request){.samples = samples, .samples_len = 3}, &r) == PL_OK);
	PL_EXPECT(r.items_len == 3 && r.items[0].micro == 1000000 && !r.items[2].scored);
	pl_fold_response sum;
	PL_EXPECT(pl_test_call(t, PL_METHOD_FOLD_SCORE, &(pl_fold_request){.account = r.account, .batch = r.account}, &sum) == PL_OK);
	pl_conclude_score_response end;
	PL_EXPECT(pl_test_call(t, PL_METHOD_CONCLUDE_SCORE, &(pl_conclude_request){.account = sum.account}, &end) == PL_OK);
	PL_EXPECT(end.score->micro == 500000 && end.scored == 4 && end.complete);
	pl_test_free(t);
}

static void test_check(void)
{
	pl_test *t = start("answered");
	pl_sample samples[] = {{.outcome = PL_INIT("ok")}, {.turn = 1, .outcome = PL_INIT("timeout")}};
	pl_check_response r;
	PL_EXPECT(pl_test_call(t, PL_METHOD_CHECK, &(pl_check_request){.samples = samples, .samples_len = 2}, &r) == PL_OK);
	pl_conclude_check_response end;
	PL_EXPECT(pl_test_call(t, PL_METHOD_CONCLUDE_CHECK, &(pl_conclude_request){.account = r.account}, &end) == PL_OK);
	PL_EXPECT(r.findings_len == 1 && !end.passed);
	PL_EXPECT(pl_test_call(t, PL_METHOD_CONCLUDE_CHECK, &(pl_conclude_request){.account = PL_INIT("short")}, NULL) == PL_INVALID_ARGUMENT);
	pl_test_free(t);
}

int main(void)
{
	test_definition();
	test_plan();
	test_open_faults();
	test_score();
	test_check();
	puts("echo: ok");
}
