#include "every.h"

// What the configuration asks for: {"counts": N} as the number of counts, {"fail": "TEXT"} as a status of open.
typedef struct settings {
	uint64_t counts;
	const pl_input *text;
} settings;

static pl_code read_setting(pl_opening *o, pl_json *j, settings *s)
{
	if (pl_json_is_key(o->call, j, "counts")) {
		pl_json_next(j);
		if (!pl_json_u64(j, &s->counts))
			pl_config_fault(o, PL_STR("/counts"), "not-a-number", PL_STR("counts is no number"), PL_STR("a whole number"));
		return PL_OK;
	}
	if (pl_json_is_key(o->call, j, "fail")) {
		pl_json_next(j);
		pl_str text = pl_json_text(o->call, j);
		return pl_fail(o->call, PL_ABORTED, "%.*s", PL_ARG(text));
	}
	if (pl_json_is_key(o->call, j, "trap"))
		pl_trap("the configuration asks for it");
	pl_str name = pl_json_text(o->call, j);
	pl_config_fault(o, pl_format(o->call, "/%.*s", PL_ARG(name)), "unknown-key", PL_STR("there is no such setting"), PL_STR("counts or fail"));
	pl_json_skip(j);
	return PL_OK;
}

static pl_code open(pl_opening *o, void **self)
{
	settings *s = pl_keep(o->call, sizeof *s);
	s->counts = UINT64_MAX;
	*self = s;
	if (o->inputs_len > 0)
		s->text = &o->inputs[0];
	o->workload = (pl_workload_info){.live = true, .trajectories = 3};
	o->prepare = pl_keep_str(o->call, pl_cut(o->seed, 0, 4));
	*PL_PUSH(o->call, o, losses) = PL_STR("nothing");
	if (o->config.len == 0)
		return PL_OK;
	pl_json j;
	pl_json_start(&j, o->config);
	if (pl_json_next(&j) == PL_JSON_OBJECT)
		while (pl_json_next(&j) == PL_JSON_KEY) {
			pl_code code = read_setting(o, &j, s);
			if (code != PL_OK)
				return code;
		}
	if (pl_json_next(&j) != PL_JSON_END)
		pl_config_fault(o, PL_STR(""), "malformed", PL_STR("it is no JSON object"), PL_STR("an object"));
	return PL_OK;
}

static pl_code check_inputs(pl_call *call, void *self, const pl_check_inputs_request *r, pl_check_inputs_response *out)
{
	settings *s = self;
	if (s->text == NULL)
		return pl_fail(call, PL_FAILED_PRECONDITION, "there is no input");
	pl_lines l = pl_lines_new(call, s->text);
	if (r->cursor.len == 16)
		pl_lines_resume(&l, pl_load_u64(r->cursor.ptr), pl_load_u64(r->cursor.ptr + 8));
	out->done = !pl_lines_next(&l);
	if (pl_lines_code(&l) != PL_OK)
		return pl_lines_code(&l);
	out->items = l.line;
	char *cursor = pl_alloc(call, 16);
	pl_store_u64(cursor, l.next);
	pl_store_u64(cursor + 8, l.line);
	out->cursor = (pl_str){cursor, 16};
	if (!out->done && !pl_json_valid(l.text))
		*PL_PUSH(call, out, faults) = (pl_fault){.input = s->text->name, .line = l.line, .offset = l.offset, .code = PL_STR("no-json")};
	return PL_OK;
}

static pl_code plan(pl_call *call, void *self, const pl_plan_request *r, pl_trajectory *out)
{
	(void)self;
	out->id = pl_format(call, "t%llu-%u", (unsigned long long)r->index, (unsigned)r->repeat);
	for (unsigned i = 0; i < 3; i++) {
		pl_turn *t = PL_PUSH(call, out, turns);
		t->index = i;
		PL_PUSH(call, t, append)->json = PL_STR("{}");
	}
	if (r->seed.len == 32) {
		pl_random dice = pl_random_new(r->seed);
		out->domain = pl_format(call, "%llu", (unsigned long long)pl_random_below(&dice, 6));
	}
	int64_t micro;
	if (pl_parse_micro(r->seed, &micro))
		out->domain = pl_format(call, "%lld", (long long)micro);
	out->state = r->seed;
	return PL_OK;
}

static pl_code next(pl_call *call, void *self, const pl_next_request *r, pl_next_response *out)
{
	(void)self;
	if (r->answer->outcome.len == 0) {
		out->end = PL_NEW(call, pl_end);
		out->end->outcome = PL_STR("unanswered");
	}
	out->state = pl_format(call, "%.*s/%u", PL_ARG(r->state), (unsigned)r->turn);
	PL_PUSH(call, out, turns)->index = r->turn + 1;
	return PL_OK;
}

static pl_str account_of(pl_call *call, uint64_t n)
{
	char *b = pl_alloc(call, 8);
	pl_store_u64(b, n);
	return (pl_str){b, 8};
}

static pl_code preflight(pl_call *call, void *self, const pl_preflight_request *r, pl_preflight_response *out)
{
	(void)self;
	for (size_t i = 0; i < r->facts_len; i++)
		*PL_PUSH(call, out, findings) = (pl_finding){.severity = PL_SEVERITY_INFO, .code = PL_STR("fact"), .message = r->facts[i].probe};
	return PL_OK;
}

static pl_code check(pl_call *call, void *self, const pl_check_request *r, pl_check_response *out)
{
	(void)self;
	for (size_t i = 0; i < r->samples_len; i++)
		*PL_PUSH(call, out, findings) = (pl_finding){.trajectory = r->samples[i].trajectory, .turn = r->samples[i].turn, .detail = r->samples[i].truth};
	out->account = account_of(call, r->samples_len);
	return PL_OK;
}

static pl_code fold(pl_call *call, void *self, const pl_fold_request *r, pl_fold_response *out)
{
	(void)self;
	uint64_t n = 0;
	if (r->account.len == 8)
		n += pl_load_u64(r->account.ptr);
	if (r->batch.len == 8)
		n += pl_load_u64(r->batch.ptr);
	out->account = account_of(call, n);
	return PL_OK;
}

static pl_code conclude_check(pl_call *call, void *self, const pl_conclude_request *r, pl_conclude_check_response *out)
{
	(void)self;
	out->passed = true;
	out->reason = pl_format(call, "%zu bytes of metrics", r->metrics.len);
	return PL_OK;
}

static pl_code score(pl_call *call, void *self, const pl_score_request *r, pl_score_response *out)
{
	(void)self;
	out->items = PL_NEW_ARRAY(call, pl_item_score, r->samples_len);
	out->items_len = r->samples_len;
	for (size_t i = 0; i < r->samples_len; i++)
		out->items[i] = (pl_item_score){.trajectory = r->samples[i].trajectory, .scored = true, .micro = -1, .detail = r->samples[i].params};
	return PL_OK;
}

static pl_code conclude_score(pl_call *call, void *self, const pl_conclude_request *r, pl_conclude_score_response *out)
{
	(void)call, (void)self, (void)r;
	out->has_threshold_micro = true;
	return 99; // a code that there is not
}

static pl_code count(pl_call *call, void *self, const pl_count_request *r, pl_count_response *out)
{
	const settings *s = self;
	for (size_t i = 0; i < r->samples_len && i < s->counts; i++)
		*PL_PUSH(call, out, counts) = (pl_token_count){.has_input = true, .input = r->samples[i].chunks_len};
	return PL_OK;
}

static const pl_workload workload = {plan, next};
static const pl_validator validator = {preflight, check, fold, conclude_check};
static const pl_scorer scorer = {score, fold, conclude_score};
static const pl_counter counter = {count};

PL_SERVE(every);

const pl_plugin every = {
	.name = "every",
	.version = "1.0.0",
	PL_LIST(offers, pl_offer,
		{.name = "work", PL_LIST(inputs, pl_str, PL_INIT("text")), PL_LIST(capabilities, pl_capability, PL_CAPABILITY_INPUTS), .open = open,
			.workload = &workload, .check_inputs = check_inputs},
		{.name = "check", .config_schema = "{}", .unit = PL_UNIT_CONVERSATION, .open = open, .validator = &validator,
			PL_LIST(probes, pl_probe, {.id = PL_INIT("check-version"), .when = PL_WHEN_BEFORE, .get_path = PL_INIT("/version")})},
		{.name = "score", .scorer = &scorer},
		{.name = "count", .open = open, .counter = &counter}),
};
