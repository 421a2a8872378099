#include "echo.h"

// The account of both judges: two counters of 8 bytes.
typedef struct tally {
	uint64_t all, good;
} tally;

static pl_str tally_bytes(pl_call *call, tally t)
{
	char *b = pl_alloc(call, 16);
	pl_store_u64(b, t.all);
	pl_store_u64(b + 8, t.good);
	return (pl_str){b, 16};
}

static pl_code parse_tally(pl_call *call, pl_str b, tally *t)
{
	*t = (tally){0, 0};
	if (b.len == 0)
		return PL_OK;
	if (b.len != 16)
		return pl_fail(call, PL_INVALID_ARGUMENT, "an account has 16 bytes, not %zu", b.len);
	*t = (tally){pl_load_u64(b.ptr), pl_load_u64(b.ptr + 8)};
	return PL_OK;
}

// fold joins tallies.
static pl_code fold(pl_call *call, void *self, const pl_fold_request *r, pl_fold_response *out)
{
	(void)self;
	tally a, b;
	pl_code code = parse_tally(call, r->account, &a);
	if (code == PL_OK)
		code = parse_tally(call, r->batch, &b);
	if (code == PL_OK)
		out->account = tally_bytes(call, (tally){a.all + b.all, a.good + b.good});
	return code;
}

static pl_code check(pl_call *call, void *self, const pl_check_request *r, pl_check_response *out)
{
	(void)self;
	tally sum = {.all = r->samples_len};
	for (const pl_sample *s = r->samples; s < r->samples + r->samples_len; s++) {
		if (pl_equal(s->outcome, PL_STR("ok"))) {
			sum.good++;
			continue;
		}
		pl_finding *f = PL_PUSH(call, out, findings);
		*f = (pl_finding){.severity = PL_SEVERITY_ERROR, .code = PL_STR("no-answer"), .message = s->outcome,
			.trajectory = s->trajectory, .repeat = s->repeat, .turn = s->turn};
	}
	out->account = tally_bytes(call, sum);
	return PL_OK;
}

static pl_code conclude_check(pl_call *call, void *self, const pl_conclude_request *r, pl_conclude_check_response *out)
{
	(void)self;
	tally sum;
	pl_code code = parse_tally(call, r->account, &sum);
	if (code != PL_OK)
		return code;
	out->passed = sum.all > 0 && sum.all == sum.good;
	if (!out->passed)
		out->reason = PL_STR("turns without an answer");
	return PL_OK;
}

const pl_validator answered = {.check = check, .fold = fold, .conclude = conclude_check};

// content_of finds the text of a chat message; a message without one has an empty one.
static bool content_of(pl_call *call, pl_str message, pl_str *content)
{
	pl_json j;
	*content = PL_STR("");
	pl_json_start(&j, message);
	if (pl_json_next(&j) != PL_JSON_OBJECT)
		return j.kind == PL_JSON_NULL && pl_json_next(&j) == PL_JSON_END;
	while (pl_json_next(&j) == PL_JSON_KEY) {
		bool wanted = pl_json_is_key(call, &j, "content");
		if (!wanted && !pl_json_is_key(call, &j, "role")) {
			pl_json_skip(&j);
			continue;
		}
		pl_json_kind kind = pl_json_next(&j);
		if (kind != PL_JSON_STRING && kind != PL_JSON_NULL)
			return false;
		if (wanted && kind == PL_JSON_STRING)
			*content = pl_json_text(call, &j);
	}
	return j.kind == PL_JSON_OBJECT_END && pl_json_next(&j) == PL_JSON_END;
}

// text_of reads a document that is one string, or null for an empty one.
static bool text_of(pl_call *call, pl_str document, pl_str *text)
{
	pl_json j;
	*text = PL_STR("");
	pl_json_start(&j, document);
	if (pl_json_next(&j) == PL_JSON_STRING)
		*text = pl_json_text(call, &j);
	else if (j.kind != PL_JSON_NULL)
		return false;
	return pl_json_next(&j) == PL_JSON_END;
}

static pl_code score(pl_call *call, void *self, const pl_score_request *r, pl_score_response *out)
{
	(void)self;
	tally sum = {0, 0};
	for (const pl_sample *s = r->samples; s < r->samples + r->samples_len; s++) {
		pl_item_score *item = PL_PUSH(call, out, items);
		*item = (pl_item_score){.trajectory = s->trajectory, .repeat = s->repeat, .has_turn = true, .turn = s->turn};
		pl_str got, want;
		if (s->answer == NULL || !content_of(call, s->answer->message, &got)) {
			item->reason = PL_STR("no answer");
		} else if (!text_of(call, s->truth, &want)) {
			item->reason = PL_STR("no truth");
		} else {
			bool same = pl_equal(got, want);
			item->scored = true;
			item->micro = same ? 1000000 : 0;
			sum.all++;
			sum.good += same;
		}
	}
	out->account = tally_bytes(call, sum);
	return PL_OK;
}

static pl_code conclude_score(pl_call *call, void *self, const pl_conclude_request *r, pl_conclude_score_response *out)
{
	(void)self;
	tally sum;
	pl_code code = parse_tally(call, r->account, &sum);
	if (code != PL_OK)
		return code;
	out->score = PL_NEW(call, pl_value);
	*out->score = (pl_value){.name = PL_STR("exact"), .unit = PL_STR("share")};
	out->higher_is_better = true;
	out->scored = sum.all;
	out->complete = out->passed = sum.all > 0;
	if (sum.all > 0)
		out->score->micro = (int64_t)(sum.good * 1000000 / sum.all);
	return PL_OK;
}

const pl_scorer exact = {.score = score, .fold = fold, .conclude = conclude_score};
