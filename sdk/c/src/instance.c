#include "instance.h"

// A part of a batch that is held until the batch is whole: its samples point into the request's block.
struct pl_part {
	pl_part *before;
	uint8_t *block;
	pl_sample *samples;
	size_t len;
};

bool pl_is_constant_reply(const void *block);

static void drop_batch(pl_instance *i)
{
	for (pl_part *p = i->parts; p != NULL; p = p->before)
		pl_system_free(p->block);
	i->parts = NULL;
	pl_arena_reset(&i->batch);
}

// hold keeps a part. Without memory it traps: an answer would let the batch go on without this part.
static void hold(pl_call *call, pl_sample *samples, size_t len, uint8_t *block)
{
	pl_instance *i = call->instance;
	pl_part *p = PL_NEW(call, pl_part);
	*p = (pl_part){.before = i->parts, .block = block, .samples = samples, .len = len};
	i->parts = p;
	pl_arena_take(&i->batch, &call->arena);
}

bool pl_join(pl_call *call, pl_sample **samples, size_t *len, uint8_t *block)
{
	pl_instance *i = call->instance;
	bool goes_on = *len > 0 && (*samples)[*len - 1].more;
	if (goes_on) {
		hold(call, *samples, *len, block);
		return false;
	}
	if (i->parts == NULL)
		return true;
	size_t all = *len;
	for (pl_part *p = i->parts; p != NULL; p = p->before)
		all += p->len; // of bytes in memory: the sum is far below what a size_t holds
	pl_sample *joined = PL_NEW_ARRAY(call, pl_sample, all);
	size_t at = all - *len;
	pl_copy(joined + at, *samples, *len * sizeof *joined);
	for (pl_part *p = i->parts; p != NULL; p = p->before) {
		at -= p->len;
		pl_copy(joined + at, p->samples, p->len * sizeof *joined);
	}
	*samples = joined;
	*len = all;
	call->joined = true;
	return true;
}

// malformed says where in a request its fault is, from the outermost message inwards.
static pl_code malformed(pl_call *call, const pl_decode_fault *fault)
{
	if (fault->memory)
		return pl_fail(call, PL_RESOURCE_EXHAUSTED, "out of memory for the request");
	pl_buf b = pl_buf_new(call);
	for (size_t k = fault->depth; k > 0; k--) {
		pl_putf(&b, "decode %s: ", fault->path[k - 1].name);
		if (fault->path[k - 1].field != 0)
			pl_putf(&b, "field %u: ", (unsigned)fault->path[k - 1].field);
	}
	pl_str where = pl_buf_str(&b);
	return pl_fail(call, PL_INVALID_ARGUMENT, "%.*s%s", PL_ARG(where), fault->why);
}

static pl_code unimplemented(pl_call *call, uint32_t method)
{
	return pl_fail(call, PL_UNIMPLEMENTED, "method %u is not offered by this component", (unsigned)method);
}

// route answers with a message of the layout that is left in *response.
static pl_code route(pl_call *call, uint32_t method, uint8_t *block, size_t len, const pl_layout **layout, void **response)
{
	pl_instance *i = call->instance;
	const pl_route *r = pl_route_of(method);
	bool describe = method == PL_METHOD_DESCRIBE, open = method == PL_METHOD_OPEN;
	if (!describe && !open && i->open == NULL)
		return pl_fail(call, PL_FAILED_PRECONDITION, "method %u before open", (unsigned)method);
	if (r == NULL || (!describe && !open && !pl_offers(i, method)))
		return unimplemented(call, method);
	*layout = r->response;
	// What open is given stays with the component. An instance that is open already must not lose its own.
	pl_arena *arena = open && i->open == NULL ? &i->kept : &call->arena;
	*response = pl_arena_alloc(&call->arena, r->response->size);
	void *request = pl_arena_alloc(arena, r->request->size);
	pl_decode_fault fault = {.why = "out of memory", .memory = true};
	if (*response == NULL || request == NULL)
		return malformed(call, &fault);
	if (describe)
		return pl_describe(call, *response);
	if (!pl_decode(r->request, request, block, len, arena, &fault))
		return malformed(call, &fault);
	return open ? pl_open(call, request, block, *response) : pl_ask(call, method, request, *response, block);
}

pl_reply pl_instance_invoke(pl_instance *i, uint32_t method, uint8_t *request, size_t len)
{
	pl_call call = {.instance = i};
	const pl_layout *layout = NULL;
	void *response = NULL;
	pl_code code = route(&call, method, request, len, &layout, &response);
	// A request that goes on has moved the response with all else of its call to the batch, where it still is.
	pl_reply reply = code == PL_OK ? pl_reply_message(&call, layout, response) : pl_reply_status(&call, code);
	if (i->open == NULL)
		pl_arena_reset(&i->kept); // what a failed open left
	if (call.joined)
		drop_batch(i);
	pl_arena_reset(&call.arena);
	return reply;
}

void pl_instance_free(pl_instance *i, void *block)
{
	if (block == NULL || pl_is_constant_reply(block) || block == i->request)
		return;
	for (pl_part *p = i->parts; p != NULL; p = p->before)
		if (p->block == block)
			return;
	pl_system_free(block);
}

void pl_instance_end(pl_instance *i)
{
	drop_batch(i);
	pl_arena_reset(&i->kept);
	if (i->request != NULL)
		pl_system_free(i->request);
	*i = (pl_instance){.plugin = i->plugin};
}
