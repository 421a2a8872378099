#include "paceline.h"

#include "arena.h"

// Results of the host's input_read below 0.
enum { NO_INPUT = -1, OUTSIDE = -2, BAD_OFFSET = -3, NOT_READ = -4, NOT_NOW = -5 };

static const char *read_error(int64_t code)
{
	switch (code) {
	case NO_INPUT:
	case NOT_NOW:
		return "no such input, or not granted";
	case OUTSIDE:
	case BAD_OFFSET:
		return "outside of memory or of the input's range";
	}
	return "the host could not read it";
}

pl_code pl_input_read_at(pl_call *call, const pl_input *in, uint64_t offset, void *to, size_t len, size_t *got)
{
	*got = 0;
	while (*got < len) {
		int64_t n = pl_system_read(in->handle, offset + *got, (char *)to + *got, len - *got);
		if (n == 0)
			return PL_OK;
		if (n > 0 && (uint64_t)n > len - *got)
			pl_trap("the host read more of an input than it was asked for");
		if (n < 0)
			return pl_fail(call, PL_UNKNOWN, "read input %.*s at %llu: %s", PL_ARG(in->name), (unsigned long long)(offset + *got), read_error(n));
		*got += (size_t)n;
	}
	return PL_OK;
}
