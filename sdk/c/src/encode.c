#include "codec.h"
#include "wire.h"

static uint64_t message_size(const pl_layout *l, const unsigned char *m, uint64_t limit);

// A list, or a message behind its pointer, as the table describes it.
typedef struct items {
	const unsigned char *at;
	size_t len;
	size_t size; // of one
} items;

static items items_of(const pl_field *f, const unsigned char *m)
{
	items list = {NULL, 0, sizeof(uint32_t)};
	void *p;
	__builtin_memcpy(&p, m + f->at, sizeof p);
	list.at = p;
	if (f->form == PL_FORM_MESSAGE)
		list.len = 1;
	else
		__builtin_memcpy(&list.len, m + f->second, sizeof list.len);
	if (f->sub != NULL)
		list.size = f->sub->size;
	else if (f->form == PL_FORM_TEXTS)
		list.size = sizeof(pl_str);
	if (p == NULL)
		list.len = 0;
	return list;
}

static pl_str text_at(const unsigned char *at)
{
	pl_str s;
	__builtin_memcpy(&s, at, sizeof s);
	if (s.ptr == NULL)
		s.len = 0;
	return s;
}

static uint64_t packed_at(const pl_field *f, const unsigned char *at)
{
	uint32_t v;
	__builtin_memcpy(&v, at, sizeof v);
	return f->form == PL_FORM_ENUMS || f->form == PL_FORM_ENUM ? (uint64_t)(int64_t)(int32_t)v : v;
}

// number gives a number as it is sent, and whether it is sent at all.
static bool number(const pl_field *f, const unsigned char *m, uint64_t *v)
{
	const unsigned char *at = m + f->at;
	switch (f->form) {
	case PL_FORM_U64:
	case PL_FORM_OPT_U64:
	case PL_FORM_S64:
	case PL_FORM_OPT_S64:
		__builtin_memcpy(v, at, sizeof *v);
		if (f->form == PL_FORM_S64 || f->form == PL_FORM_OPT_S64)
			*v = *v << 1 ^ (0 - (*v >> 63));
		break;
	case PL_FORM_BOOL:
		*v = *at != 0;
		break;
	default:
		*v = packed_at(f, at);
	}
	return f->form >= PL_FORM_OPT_U32 ? m[f->second] != 0 : *v != 0;
}

// is_set reports whether a member of a oneof is set.
static bool is_set(const pl_field *f, const unsigned char *m)
{
	uint64_t v;
	if (f->form == PL_FORM_PRESENT)
		return text_at(m + f->at).ptr != NULL;
	return f->form == PL_FORM_MESSAGE ? items_of(f, m).len > 0 : number(f, m, &v);
}

// chosen is the member of the oneof that is sent.
static const pl_field *chosen(const pl_layout *l, const unsigned char *m)
{
	for (const pl_field *f = l->fields; f < l->fields + l->count; f++)
		if (f->one && is_set(f, m))
			return f;
	return NULL;
}

static uint64_t blob_size(const pl_field *f, uint64_t n)
{
	return pl_varint_size((uint64_t)f->number << 3) + pl_varint_size(n) + n;
}

static uint64_t packed_size(const pl_field *f, items list)
{
	uint64_t n = 0;
	for (size_t i = 0; i < list.len; i++)
		n += pl_varint_size(packed_at(f, list.at + i * list.size));
	return n;
}

static uint64_t items_size(const pl_field *f, items list, uint64_t limit)
{
	uint64_t n = 0;
	for (size_t i = 0; i < list.len && n <= limit; i++) {
		const unsigned char *at = list.at + i * list.size;
		n += blob_size(f, f->form == PL_FORM_TEXTS ? pl_replace_invalid(text_at(at), NULL) : message_size(f->sub, at, limit));
	}
	return n;
}

static uint64_t field_size(const pl_field *f, const unsigned char *m, uint64_t limit)
{
	uint64_t v;
	pl_str s;
	switch (f->form) {
	case PL_FORM_TEXT:
	case PL_FORM_BYTES:
	case PL_FORM_PRESENT:
		s = text_at(m + f->at);
		if (s.len == 0 && (f->form != PL_FORM_PRESENT || s.ptr == NULL))
			return 0;
		return blob_size(f, f->form == PL_FORM_TEXT ? pl_replace_invalid(s, NULL) : s.len);
	case PL_FORM_U32S:
	case PL_FORM_ENUMS:
		v = packed_size(f, items_of(f, m));
		return v == 0 ? 0 : blob_size(f, v);
	case PL_FORM_TEXTS:
	case PL_FORM_MESSAGES:
	case PL_FORM_MESSAGE:
		return items_size(f, items_of(f, m), limit);
	}
	return number(f, m, &v) ? pl_varint_size((uint64_t)f->number << 3) + pl_varint_size(v) : 0;
}

// Each size is at most the limit and a little, and the sum is cut off there, so that none overflows.
static uint64_t message_size(const pl_layout *l, const unsigned char *m, uint64_t limit)
{
	const pl_field *one = chosen(l, m);
	uint64_t n = 0;
	for (const pl_field *f = l->fields; f < l->fields + l->count && n <= limit; f++)
		if (!f->one || f == one)
			n += field_size(f, m, limit);
	return n > limit ? limit + 1 : n;
}

uint64_t pl_encoded_size(const pl_layout *l, const void *message, uint64_t limit) { return message_size(l, message, limit); }

// The writer goes from the end to the start, so that a length is known when it is written.

static uint8_t *put_varint(uint8_t *end, uint64_t v)
{
	uint8_t *at = end - pl_varint_size(v), *p = at;
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)v | 0x80;
	*p = (uint8_t)v;
	return at;
}

static uint8_t *put_tag(uint8_t *end, const pl_field *f, unsigned type) { return put_varint(end, (uint64_t)f->number << 3 | type); }

// put_head puts tag and length before n bytes that were put.
static uint8_t *put_head(uint8_t *end, const pl_field *f, size_t n) { return put_tag(put_varint(end, n), f, PL_WIRE_BYTES); }

static uint8_t *put_text(uint8_t *end, const pl_field *f, pl_str s)
{
	bool text = f->form == PL_FORM_TEXT || f->form == PL_FORM_TEXTS;
	size_t n = text ? pl_replace_invalid(s, NULL) : s.len;
	uint8_t *at = end - n;
	if (text)
		pl_replace_invalid(s, (char *)at);
	else
		pl_copy(at, s.ptr, n);
	return put_head(at, f, n);
}

static uint8_t *put_message(uint8_t *end, const pl_layout *l, const unsigned char *m);

static uint8_t *put_items(uint8_t *end, const pl_field *f, items list)
{
	for (size_t i = list.len; i > 0; i--) {
		const unsigned char *at = list.at + (i - 1) * list.size;
		if (f->form == PL_FORM_TEXTS) {
			end = put_text(end, f, text_at(at));
			continue;
		}
		uint8_t *start = put_message(end, f->sub, at);
		end = put_head(start, f, (size_t)(end - start));
	}
	return end;
}

static uint8_t *put_packed(uint8_t *end, const pl_field *f, items list)
{
	uint8_t *start = end;
	for (size_t i = list.len; i > 0; i--)
		start = put_varint(start, packed_at(f, list.at + (i - 1) * list.size));
	return list.len == 0 ? end : put_head(start, f, (size_t)(end - start));
}

static uint8_t *put_field(uint8_t *end, const pl_field *f, const unsigned char *m)
{
	uint64_t v;
	pl_str s;
	switch (f->form) {
	case PL_FORM_TEXT:
	case PL_FORM_BYTES:
	case PL_FORM_PRESENT:
		s = text_at(m + f->at);
		return s.len == 0 && (f->form != PL_FORM_PRESENT || s.ptr == NULL) ? end : put_text(end, f, s);
	case PL_FORM_U32S:
	case PL_FORM_ENUMS:
		return put_packed(end, f, items_of(f, m));
	case PL_FORM_TEXTS:
	case PL_FORM_MESSAGES:
	case PL_FORM_MESSAGE:
		return put_items(end, f, items_of(f, m));
	}
	return number(f, m, &v) ? put_tag(put_varint(end, v), f, PL_WIRE_VARINT) : end;
}

static uint8_t *put_message(uint8_t *end, const pl_layout *l, const unsigned char *m)
{
	const pl_field *one = chosen(l, m);
	for (const pl_field *f = l->fields + l->count; f > l->fields;) {
		f--;
		if (!f->one || f == one)
			end = put_field(end, f, m);
	}
	return end;
}

void pl_encode(const pl_layout *l, const void *message, uint8_t *to, size_t size) { (void)put_message(to + size, l, message); }
