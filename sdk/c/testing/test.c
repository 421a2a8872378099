#include "paceline_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/tables_gen.h"
#include "host.h"

struct pl_test {
	pl_test_host host; // while another instance runs
	pl_instance instance;
	bool gone;
	pl_reply reply;
	char text[PL_MAX_STATUS + 1];
	pl_arena answers; // messages that calls gave
	pl_test_block *answer_blocks;
};

pl_test *pl_test_new(const pl_plugin *plugin)
{
	pl_test *t = calloc(1, sizeof *t);
	if (t == NULL)
		abort();
	t->instance.plugin = plugin;
	return t;
}

// enter and leave make a test's host the one that the SDK sees.
static void enter(pl_test *t) { pl_test_current = t->host; }
static void leave(pl_test *t)
{
	t->host = pl_test_current;
	memset(&pl_test_current, 0, sizeof pl_test_current);
}

static void free_answers(pl_test *t)
{
	pl_test_host kept = pl_test_current;
	pl_test_current.blocks = t->answer_blocks;
	pl_arena_reset(&t->answers);
	pl_test_current = kept;
}

void pl_test_free(pl_test *t)
{
	enter(t);
	if (t->gone) {
		pl_test_free_all();
	} else {
		if (t->reply.ptr != NULL)
			pl_instance_free(&t->instance, t->reply.ptr);
		pl_instance_end(&t->instance);
		if (pl_test_current.used != 0)
			pl_test_stop(__FILE__, __LINE__, "all memory was given back");
	}
	free_answers(t);
	for (size_t i = 0; i < pl_test_current.lines_len; i++)
		free(pl_test_current.lines[i]);
	memset(&pl_test_current, 0, sizeof pl_test_current);
	free(t);
}

void pl_test_input(pl_test *t, const char *name, const void *data, size_t len)
{
	size_t i = t->host.inputs_len++;
	PL_EXPECT(i < PL_TEST_INPUTS);
	t->host.inputs[i] = (pl_input){.name = pl_str_of(name), .handle = (uint32_t)i, .size = len};
	t->host.data[i] = (pl_str){data, len};
}

static void invoke(pl_test *t, uint32_t method, uint8_t *block, size_t len)
{
	pl_test_current.catches = true;
	if (setjmp(pl_test_current.trap) == 0)
		t->reply = pl_instance_invoke(&t->instance, method, block, len);
	else
		t->gone = true;
	pl_test_current.catches = false;
	if (t->gone) // as a module's memory goes: what the call held is not known any more
		return;
	if (block != NULL)
		pl_instance_free(&t->instance, block);
}

pl_code pl_test_raw(pl_test *t, pl_method method, const void *request, size_t len, pl_str *reply)
{
	*reply = (pl_str){NULL, 0};
	t->text[0] = 0;
	if (t->gone)
		return PL_TEST_TRAPPED;
	enter(t);
	if (t->reply.ptr != NULL)
		pl_instance_free(&t->instance, t->reply.ptr);
	t->reply = (pl_reply){NULL, 0};
	uint8_t *block = NULL;
	if (len > 0 && (block = pl_system_alloc(len)) == NULL) {
		leave(t);
		return PL_RESOURCE_EXHAUSTED; // where a host gives up
	}
	pl_copy(block, request, len);
	invoke(t, (uint32_t)method, block, len);
	leave(t);
	if (t->gone)
		return PL_TEST_TRAPPED;
	const uint8_t *b = t->reply.ptr;
	PL_EXPECT(b != NULL && t->reply.len >= 1 && b[0] <= 1);
	*reply = (pl_str){(const char *)b, t->reply.len};
	if (b[0] == 0)
		return PL_OK;
	PL_EXPECT(t->reply.len >= 2 && t->reply.len <= 2 + PL_MAX_STATUS && b[1] >= 1 && b[1] <= 16);
	PL_EXPECT(pl_valid_utf8(pl_cut(*reply, 2, reply->len)));
	memcpy(t->text, b + 2, t->reply.len - 2);
	t->text[t->reply.len - 2] = 0;
	return b[1];
}

// Memory for messages that outlive calls does not count as the instance's.
static pl_test_host aside(void)
{
	pl_test_host kept = pl_test_current;
	memset(&pl_test_current, 0, sizeof pl_test_current);
	pl_test_current.blocks = NULL;
	return kept;
}

static void *answer_memory(pl_test *t, size_t size)
{
	pl_test_host kept = aside();
	pl_test_current.blocks = t->answer_blocks;
	void *p = pl_arena_alloc(&t->answers, size);
	t->answer_blocks = pl_test_current.blocks;
	pl_test_current = kept;
	if (p == NULL)
		abort();
	return p;
}

static bool read_answer(pl_test *t, const pl_layout *l, pl_str reply, void *response)
{
	pl_decode_fault fault;
	char *copy = answer_memory(t, reply.len);
	memcpy(copy, reply.ptr, reply.len);
	memset(response, 0, l->size);
	pl_test_host kept = aside();
	pl_test_current.blocks = t->answer_blocks;
	bool ok = pl_decode(l, response, (const uint8_t *)copy + 1, reply.len - 1, &t->answers, &fault);
	t->answer_blocks = pl_test_current.blocks;
	pl_test_current = kept;
	return ok;
}

pl_code pl_test_call(pl_test *t, pl_method method, const void *request, const void *response)
{
	const pl_route *r = pl_route_of((uint32_t)method);
	PL_EXPECT(r != NULL);
	uint64_t size = pl_encoded_size(r->request, request, SIZE_MAX / 4);
	PL_EXPECT(size <= SIZE_MAX / 4);
	uint8_t *bytes = malloc((size_t)size + 1);
	PL_EXPECT(bytes != NULL);
	pl_encode(r->request, request, bytes, (size_t)size);
	pl_str reply;
	pl_code code = pl_test_raw(t, method, bytes, (size_t)size, &reply);
	free(bytes);
	if (code == PL_OK && response != NULL)
		PL_EXPECT(read_answer(t, r->response, reply, (void *)(uintptr_t)response));
	return code;
}

pl_code pl_test_open(pl_test *t, const char *component, const char *config, const pl_open_response **out)
{
	static const char seed[32];
	pl_capability inputs = PL_CAPABILITY_INPUTS;
	pl_open_request request = {
		.component = pl_str_of(component),
		.config = pl_str_of(config),
		.seed = {seed, sizeof seed},
		.inputs = t->host.inputs,
		.inputs_len = t->host.inputs_len,
		.granted = &inputs,
		.granted_len = t->host.inputs_len > 0,
	};
	pl_open_response *response = answer_memory(t, sizeof *response);
	pl_code code = pl_test_call(t, PL_METHOD_OPEN, &request, response);
	if (out != NULL)
		*out = code == PL_OK ? response : NULL;
	return code;
}

const char *pl_test_text(const pl_test *t) { return t->text; }
const char *pl_test_log(const pl_test *t, size_t i) { return i < t->host.lines_len ? t->host.lines[i] : NULL; }
void pl_test_memory(pl_test *t, size_t bytes) { t->host.limit = bytes; }
void pl_test_fail_allocation(pl_test *t, size_t nth) { t->host.fail_at = nth; }
