#include "echo.h"

// Where a line of the text is; it is read when it is planned.
typedef struct line {
	uint64_t offset;
	size_t len;
} line;

typedef struct text {
	const pl_input *in;
	line *lines;
	size_t lines_len;
} text;

// count_lines passes over the text; with a list it fills that in.
static pl_code read_lines(pl_call *call, const pl_input *in, line *list, size_t *count)
{
	pl_lines scan = pl_lines_new(call, in);
	for (*count = 0; pl_lines_next(&scan); (*count)++)
		if (list != NULL)
			list[*count] = (line){scan.offset, scan.text.len};
	return pl_lines_code(&scan);
}

pl_code open_repeat(pl_opening *o, void **self)
{
	const pl_input *in = pl_find_input(o, "text");
	if (in == NULL)
		return PL_OK; // the fault is noted
	size_t count;
	pl_code code = read_lines(o->call, in, NULL, &count);
	if (code != PL_OK)
		return code;
	if (count == 0) {
		pl_input_fault(o, "text", 0, 0, "empty", PL_STR("no line in it"), PL_STR("at least one line"));
		return PL_OK;
	}
	text *t = pl_keep(o->call, sizeof *t);
	*t = (text){in, pl_keep_array(o->call, count, sizeof *t->lines), count};
	code = read_lines(o->call, in, t->lines, &count);
	if (code != PL_OK)
		return code;
	pl_log(o->call, PL_INFO, "%zu lines", count);
	o->workload = (pl_workload_info){.trajectories = count, .fixed = true, .provenance = PL_STR("recorded")};
	*self = t;
	return PL_OK;
}

static pl_code plan(pl_call *call, void *self, const pl_plan_request *r, pl_trajectory *out)
{
	const text *t = self;
	if (r->index >= t->lines_len)
		return pl_fail(call, PL_OUT_OF_RANGE, "no line %llu: there are %zu", (unsigned long long)r->index, t->lines_len);
	const line *l = &t->lines[r->index];
	char *said = pl_alloc(call, l->len);
	size_t got;
	pl_code code = pl_input_read_at(call, t->in, l->offset, said, l->len, &got);
	if (code != PL_OK)
		return code;
	if (got < l->len)
		return pl_fail(call, PL_DATA_LOSS, "the text ends within line %llu", (unsigned long long)r->index);

	pl_buf truth = pl_buf_new(call);
	pl_put_json(&truth, (pl_str){said, got});
	pl_buf content = pl_buf_new(call);
	pl_put(&content, PL_STR("Repeat exactly: "));
	pl_put(&content, (pl_str){said, got});
	pl_buf ask = pl_buf_new(call);
	pl_put(&ask, PL_STR("{\"role\":\"user\",\"content\":"));
	pl_put_json(&ask, pl_buf_str(&content));
	pl_put_c(&ask, '}');

	out->id = pl_format(call, "line-%08x", (unsigned)r->index);
	pl_turn *turn = PL_PUSH(call, out, turns);
	pl_message *message = PL_PUSH(call, turn, append);
	message->json = pl_buf_str(&ask);
	turn->final = true;
	turn->max_tokens = 256;
	turn->truth = pl_buf_str(&truth);
	return PL_OK;
}

const pl_workload repeat = {.plan = plan};
