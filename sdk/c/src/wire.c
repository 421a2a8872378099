#include "wire.h"

#define MAX_FIELD (((uint64_t)1 << 29) - 1)
#define MAX_GROUPS 100

static const char truncated[] = "truncated";
static const char out_of_range[] = "field number out of range";

size_t pl_varint_size(uint64_t value)
{
	size_t n = 1;
	for (; value >= 0x80; value >>= 7)
		n++;
	return n;
}

const char *pl_take_varint(pl_cursor *c, uint64_t *value)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < 10; i++) {
		if (c->at == c->end)
			return truncated;
		uint8_t b = *c->at++;
		if (i == 9 && b > 1)
			break;
		v |= (uint64_t)(b & 0x7f) << (7 * i);
		if (b < 0x80) {
			*value = v;
			return NULL;
		}
	}
	return "varint above 64 bits";
}

static const char *take_bytes(pl_cursor *c, pl_cursor *bytes)
{
	uint64_t n;
	const char *wrong = pl_take_varint(c, &n);
	if (wrong != NULL)
		return wrong;
	if (n > (uint64_t)(c->end - c->at))
		return truncated;
	bytes->at = c->at;
	bytes->end = c->at += (size_t)n;
	return NULL;
}

static const char *skip_fixed(pl_cursor *c, uint32_t type)
{
	ptrdiff_t n = type == PL_WIRE_FIXED64 ? 8 : 4;
	if (type == PL_WIRE_END)
		return "group without its end";
	if (type != PL_WIRE_FIXED32 && type != PL_WIRE_FIXED64)
		return "unknown wire type";
	if (c->end - c->at < n)
		return truncated;
	c->at += n;
	return NULL;
}

static const char *take_tag(pl_cursor *c, uint32_t *number, uint32_t *type)
{
	uint64_t tag;
	const char *wrong = pl_take_varint(c, &tag);
	if (wrong != NULL)
		return wrong;
	if (tag >> 3 == 0 || tag >> 3 > MAX_FIELD)
		return out_of_range;
	*number = (uint32_t)(tag >> 3);
	*type = (uint32_t)(tag & 7);
	return NULL;
}

// skip_group skips a group of the old encoding with all that it holds; the contract has none, but what is unknown is
// skipped.
static const char *skip_group(pl_cursor *c, uint32_t number)
{
	uint32_t open[MAX_GROUPS];
	size_t depth = 0;
	open[depth++] = number;
	while (depth > 0) {
		uint32_t type;
		uint64_t value;
		pl_cursor bytes;
		const char *wrong = take_tag(c, &number, &type);
		if (wrong != NULL)
			return wrong;
		switch (type) {
		case PL_WIRE_END:
			if (number != open[depth - 1])
				return "group without its end";
			depth--;
			break;
		case PL_WIRE_START:
			if (depth == MAX_GROUPS)
				return "groups nested too deeply";
			open[depth++] = number;
			break;
		case PL_WIRE_VARINT:
			wrong = pl_take_varint(c, &value);
			break;
		case PL_WIRE_BYTES:
			wrong = take_bytes(c, &bytes);
			break;
		default:
			wrong = skip_fixed(c, type);
		}
		if (wrong != NULL)
			return wrong;
	}
	return NULL;
}

const char *pl_take_field(pl_cursor *c, pl_wire *w)
{
	w->number = 0;
	const char *wrong = take_tag(c, &w->number, &w->type);
	if (wrong != NULL)
		return wrong;
	switch (w->type) {
	case PL_WIRE_VARINT:
		return pl_take_varint(c, &w->value);
	case PL_WIRE_BYTES:
		return take_bytes(c, &w->bytes);
	case PL_WIRE_START:
		return skip_group(c, w->number);
	}
	return skip_fixed(c, w->type);
}
