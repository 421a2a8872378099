#include "instance.h"
#include "tables_gen.h"

static const pl_route routes[] = {
	{PL_METHOD_DESCRIBE, &pl_layout_describe_request, &pl_layout_describe_response},
	{PL_METHOD_OPEN, &pl_layout_open_request, &pl_layout_open_response},
	{PL_METHOD_CHECK_INPUTS, &pl_layout_check_inputs_request, &pl_layout_check_inputs_response},
	{PL_METHOD_PLAN, &pl_layout_plan_request, &pl_layout_plan_response},
	{PL_METHOD_NEXT, &pl_layout_next_request, &pl_layout_next_response},
	{PL_METHOD_PREFLIGHT, &pl_layout_preflight_request, &pl_layout_preflight_response},
	{PL_METHOD_CHECK, &pl_layout_check_request, &pl_layout_check_response},
	{PL_METHOD_FOLD_CHECK, &pl_layout_fold_request, &pl_layout_fold_response},
	{PL_METHOD_CONCLUDE_CHECK, &pl_layout_conclude_request, &pl_layout_conclude_check_response},
	{PL_METHOD_SCORE, &pl_layout_score_request, &pl_layout_score_response},
	{PL_METHOD_FOLD_SCORE, &pl_layout_fold_request, &pl_layout_fold_response},
	{PL_METHOD_CONCLUDE_SCORE, &pl_layout_conclude_request, &pl_layout_conclude_score_response},
	{PL_METHOD_COUNT, &pl_layout_count_request, &pl_layout_count_response},
};

const pl_route *pl_route_of(uint32_t method)
{
	for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
		if (routes[i].method == method)
			return &routes[i];
	return NULL;
}

bool pl_offers(const pl_instance *i, uint32_t method)
{
	const pl_offer *o = i->open;
	switch (method) {
	case PL_METHOD_CHECK_INPUTS:
		return o->check_inputs != NULL;
	case PL_METHOD_PLAN:
		return o->workload != NULL && o->workload->plan != NULL;
	case PL_METHOD_NEXT:
		return o->workload != NULL && o->workload->next != NULL;
	case PL_METHOD_PREFLIGHT:
		return o->validator != NULL && o->validator->preflight != NULL;
	case PL_METHOD_CHECK:
		return o->validator != NULL && o->validator->check != NULL;
	case PL_METHOD_FOLD_CHECK:
		return o->validator != NULL && o->validator->fold != NULL;
	case PL_METHOD_CONCLUDE_CHECK:
		return o->validator != NULL && o->validator->conclude != NULL;
	case PL_METHOD_SCORE:
		return o->scorer != NULL && o->scorer->score != NULL;
	case PL_METHOD_FOLD_SCORE:
		return o->scorer != NULL && o->scorer->fold != NULL;
	case PL_METHOD_CONCLUDE_SCORE:
		return o->scorer != NULL && o->scorer->conclude != NULL;
	case PL_METHOD_COUNT:
		return o->counter != NULL && o->counter->count != NULL;
	}
	return false;
}

static pl_code plan(pl_call *call, const pl_workload *w, void *self, const pl_plan_request *r, pl_plan_response *out)
{
	out->trajectory = PL_NEW(call, pl_trajectory);
	return w->plan(call, self, r, out->trajectory);
}

static pl_code next(pl_call *call, const pl_workload *w, void *self, pl_next_request *r, pl_next_response *out)
{
	if (r->answer == NULL)
		r->answer = PL_NEW(call, pl_answer);
	return w->next(call, self, r, out);
}

static pl_code check(pl_call *call, const pl_validator *v, void *self, pl_check_request *r, pl_check_response *out, uint8_t *block)
{
	return pl_join(call, &r->samples, &r->samples_len, block) ? v->check(call, self, r, out) : PL_OK;
}

static pl_code score(pl_call *call, const pl_scorer *s, void *self, pl_score_request *r, pl_score_response *out, uint8_t *block)
{
	return pl_join(call, &r->samples, &r->samples_len, block) ? s->score(call, self, r, out) : PL_OK;
}

static pl_code count(pl_call *call, const pl_counter *c, void *self, pl_count_request *r, pl_count_response *out, uint8_t *block)
{
	if (!pl_join(call, &r->samples, &r->samples_len, block))
		return PL_OK;
	pl_code code = c->count(call, self, r, out);
	if (code == PL_OK && out->counts_len != r->samples_len)
		return pl_fail(call, PL_INTERNAL, "%zu counts for %zu samples", out->counts_len, r->samples_len);
	return code;
}

pl_code pl_ask(pl_call *call, uint32_t method, void *request, void *response, uint8_t *block)
{
	const pl_offer *o = call->instance->open;
	void *self = call->instance->self;
	switch (method) {
	case PL_METHOD_CHECK_INPUTS:
		return o->check_inputs(call, self, request, response);
	case PL_METHOD_PLAN:
		return plan(call, o->workload, self, request, response);
	case PL_METHOD_NEXT:
		return next(call, o->workload, self, request, response);
	case PL_METHOD_PREFLIGHT:
		return o->validator->preflight(call, self, request, response);
	case PL_METHOD_CHECK:
		return check(call, o->validator, self, request, response, block);
	case PL_METHOD_FOLD_CHECK:
		return o->validator->fold(call, self, request, response);
	case PL_METHOD_CONCLUDE_CHECK:
		return o->validator->conclude(call, self, request, response);
	case PL_METHOD_SCORE:
		return score(call, o->scorer, self, request, response, block);
	case PL_METHOD_FOLD_SCORE:
		return o->scorer->fold(call, self, request, response);
	case PL_METHOD_CONCLUDE_SCORE:
		return o->scorer->conclude(call, self, request, response);
	}
	return count(call, o->counter, self, request, response, block);
}
