#include "instance.h"

static void *must(void *p)
{
	if (p == NULL)
		pl_trap("out of memory");
	return p;
}

_Noreturn void pl_trap(const char *why)
{
	pl_str text = pl_str_of(why);
	pl_system_log(PL_ERROR, text.ptr, text.len);
	pl_system_trap();
}

void *pl_try_alloc(pl_call *call, size_t size) { return pl_arena_alloc(&call->arena, size); }
void *pl_alloc(pl_call *call, size_t size) { return must(pl_try_alloc(call, size)); }
void *pl_alloc_array(pl_call *call, size_t count, size_t size) { return must(pl_arena_array(&call->arena, count, size)); }

void *pl_try_keep(pl_call *call, size_t size) { return pl_arena_alloc(&call->instance->kept, size); }
void *pl_keep(pl_call *call, size_t size) { return must(pl_try_keep(call, size)); }
void *pl_keep_array(pl_call *call, size_t count, size_t size) { return must(pl_arena_array(&call->instance->kept, count, size)); }

pl_str pl_keep_str(pl_call *call, pl_str text)
{
	char *copy = pl_keep(call, text.len);
	pl_copy(copy, text.ptr, text.len);
	return (pl_str){copy, text.len};
}

// A list that grows has room for the next power of two, so its length tells when it is full.
void *pl_grow(pl_call *call, void *list, size_t len, size_t size)
{
	if (len != 0 && (len & (len - 1)) != 0)
		return list;
	void *grown = pl_alloc_array(call, len == 0 ? 1 : len * 2, size);
	pl_copy(grown, list, len * size);
	return grown;
}

pl_code pl_fail(pl_call *call, pl_code code, const char *format, ...)
{
	pl_buf b = {.call = call, .at = call->room, .room = sizeof call->room};
	va_list args;
	va_start(args, format);
	pl_vputf(&b, format, args);
	va_end(args);
	call->text = pl_buf_str(&b);
	return code;
}

void pl_log(pl_call *call, uint32_t level, const char *format, ...)
{
	pl_buf b = pl_buf_new(call);
	va_list args;
	va_start(args, format);
	pl_vputf(&b, format, args);
	va_end(args);
	pl_str text = pl_buf_str(&b);
	pl_system_log(level, text.ptr, text.len);
}
