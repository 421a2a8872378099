#include "codec.h"
#include "wire.h"

typedef struct decoder {
	pl_arena *arena;
	pl_decode_fault *fault;
} decoder;

static bool decode_message(decoder *d, const pl_layout *l, unsigned char *m, pl_cursor in);

static bool wrong(decoder *d, const char *why)
{
	d->fault->why = why;
	return false;
}

static bool no_memory(decoder *d)
{
	d->fault->memory = true;
	return wrong(d, "out of memory");
}

// Members are read and written as bytes: what a table says of them is not known to the compiler.
static void *load_pointer(const unsigned char *at)
{
	void *p;
	__builtin_memcpy(&p, at, sizeof p);
	return p;
}

static size_t load_size(const unsigned char *at)
{
	size_t n;
	__builtin_memcpy(&n, at, sizeof n);
	return n;
}

static void store(unsigned char *at, const void *value, size_t size) { __builtin_memcpy(at, value, size); }

static void store_number(unsigned char *at, pl_form form, uint64_t v)
{
	uint32_t low = (uint32_t)v;
	uint64_t plain = v >> 1 ^ (0 - (v & 1)); // of the zigzag code of signed numbers
	bool yes = v != 0;
	switch (form) {
	case PL_FORM_U64:
	case PL_FORM_OPT_U64:
		store(at, &v, sizeof v);
		break;
	case PL_FORM_S64:
	case PL_FORM_OPT_S64:
		store(at, &plain, sizeof plain);
		break;
	case PL_FORM_BOOL:
		store(at, &yes, sizeof yes);
		break;
	default:
		store(at, &low, sizeof low);
	}
}

static bool is_list(pl_form form) { return form >= PL_FORM_U32S; }
static bool is_packed(pl_form form) { return form == PL_FORM_U32S || form == PL_FORM_ENUMS; }
static bool is_optional(pl_form form) { return form >= PL_FORM_OPT_U32 && form <= PL_FORM_OPT_S64; }
static bool is_number(pl_form form) { return form <= PL_FORM_OPT_S64; }

static size_t element_size(const pl_field *f)
{
	switch (f->form) {
	case PL_FORM_TEXTS:
		return sizeof(pl_str);
	case PL_FORM_MESSAGES:
		return f->sub->size;
	}
	return sizeof(uint32_t);
}

// count_elements counts what a list field gets from here to the end of its message: at least as much as will be read.
static size_t count_elements(const pl_field *f, pl_cursor in)
{
	size_t n = 0;
	pl_wire w;
	while (in.at < in.end && pl_take_field(&in, &w) == NULL) {
		if (w.number != f->number)
			continue;
		if (!is_packed(f->form))
			n += w.type == PL_WIRE_BYTES;
		else if (w.type == PL_WIRE_VARINT)
			n++;
		else if (w.type == PL_WIRE_BYTES)
			for (const uint8_t *p = w.bytes.at; p < w.bytes.end; p++)
				n += *p < 0x80; // the last byte of a varint
	}
	return n;
}

// make_room makes room for all elements that a list gets from this message, behind those that it has from an earlier part.
static bool make_room(decoder *d, const pl_field *f, unsigned char *m, pl_cursor in)
{
	size_t more = count_elements(f, in);
	size_t have = load_size(m + f->second);
	size_t size = element_size(f);
	if (more > SIZE_MAX - have)
		return no_memory(d);
	void *list = pl_arena_array(d->arena, have + more, size);
	if (list == NULL)
		return no_memory(d);
	if (have > 0)
		__builtin_memcpy(list, load_pointer(m + f->at), have * size);
	store(m + f->at, &list, sizeof list);
	return true;
}

// append gives the place of a list's next element, for which there is room.
static unsigned char *append(const pl_field *f, unsigned char *m)
{
	size_t n = load_size(m + f->second);
	unsigned char *element = (unsigned char *)load_pointer(m + f->at) + n * element_size(f);
	n++;
	store(m + f->second, &n, sizeof n);
	return element;
}

static bool set_packed(decoder *d, const pl_field *f, unsigned char *m, pl_cursor in)
{
	while (in.at < in.end) {
		uint64_t v;
		const char *why = pl_take_varint(&in, &v);
		if (why != NULL)
			return wrong(d, why);
		store_number(append(f, m), (pl_form)f->form, v);
	}
	return true;
}

static bool set_bytes(decoder *d, const pl_field *f, unsigned char *m, pl_cursor in)
{
	pl_str s = {(const char *)in.at, (size_t)(in.end - in.at)};
	switch (f->form) {
	case PL_FORM_TEXT:
	case PL_FORM_TEXTS:
		if (!pl_valid_utf8(s))
			return wrong(d, "string is not valid UTF-8");
		store(f->form == PL_FORM_TEXT ? m + f->at : append(f, m), &s, sizeof s);
		return true;
	case PL_FORM_BYTES:
	case PL_FORM_PRESENT:
		store(m + f->at, &s, sizeof s);
		return true;
	case PL_FORM_MESSAGES:
		return decode_message(d, f->sub, append(f, m), in);
	case PL_FORM_MESSAGE:
		break;
	default:
		return set_packed(d, f, m, in);
	}
	unsigned char *sub = load_pointer(m + f->at);
	if (sub == NULL) {
		if ((sub = pl_arena_alloc(d->arena, f->sub->size)) == NULL)
			return no_memory(d);
		store(m + f->at, &sub, sizeof sub);
	}
	return decode_message(d, f->sub, sub, in);
}

// clear_others unsets the other members of the oneof that f is one of.
static void clear_others(const pl_layout *l, const pl_field *f, unsigned char *m)
{
	for (const pl_field *o = l->fields; o < l->fields + l->count; o++) {
		if (!o->one || o == f)
			continue;
		pl_str none = {NULL, 0};
		void *nothing = NULL;
		if (is_optional((pl_form)o->form))
			m[o->second] = false;
		else if (o->form == PL_FORM_PRESENT)
			store(m + o->at, &none, sizeof none);
		else
			store(m + o->at, &nothing, sizeof nothing);
	}
}

// set takes a field into the message. One whose wire type does not fit its form is skipped, as an unknown one is.
static bool set(decoder *d, const pl_layout *l, const pl_field *f, unsigned char *m, const pl_wire *w)
{
	pl_form form = (pl_form)f->form;
	if (f->one)
		clear_others(l, f, m);
	if (w->type == PL_WIRE_BYTES)
		return set_bytes(d, f, m, w->bytes);
	store_number(is_list(form) ? append(f, m) : m + f->at, form, w->value);
	if (is_optional(form))
		m[f->second] = true;
	return true;
}

static bool fits(const pl_field *f, const pl_wire *w)
{
	if (w->type != PL_WIRE_VARINT && w->type != PL_WIRE_BYTES)
		return false;
	return is_packed((pl_form)f->form) || is_number((pl_form)f->form) == (w->type == PL_WIRE_VARINT);
}

// find gives the field of that number, NULL where there is none. Canonical bytes have their fields in the table's order, so
// the search begins where the last one ended.
static const pl_field *find(const pl_layout *l, uint32_t number, size_t *from)
{
	if (*from >= l->count || number < l->fields[*from].number)
		*from = 0;
	for (size_t i = *from; i < l->count && l->fields[i].number <= number; i++)
		if (l->fields[i].number == number) {
			*from = i;
			return &l->fields[i];
		}
	return NULL;
}

static bool decode_field(decoder *d, const pl_layout *l, unsigned char *m, pl_cursor *in, pl_wire *w, size_t *next, uint64_t *roomy)
{
	pl_cursor here = *in;
	const char *why = pl_take_field(in, w);
	if (why != NULL)
		return wrong(d, why);
	const pl_field *f = find(l, w->number, next);
	if (f == NULL || !fits(f, w))
		return true;
	uint64_t bit = (uint64_t)1 << *next;
	if (is_list((pl_form)f->form) && (*roomy & bit) == 0) {
		if (!make_room(d, f, m, here))
			return false;
		*roomy |= bit;
	}
	return set(d, l, f, m, w);
}

static bool decode_message(decoder *d, const pl_layout *l, unsigned char *m, pl_cursor in)
{
	pl_wire w = {0};
	size_t next = 0;
	uint64_t roomy = 0; // lists that have room for all their elements
	while (in.at < in.end) {
		if (decode_field(d, l, m, &in, &w, &next, &roomy))
			continue;
		pl_decode_fault *fault = d->fault;
		if (fault->depth < PL_MAX_PATH) {
			fault->path[fault->depth].name = l->name;
			fault->path[fault->depth++].field = w.number;
		}
		return false;
	}
	return true;
}

bool pl_decode(const pl_layout *l, void *message, const uint8_t *data, size_t len, pl_arena *arena, pl_decode_fault *fault)
{
	decoder d = {arena, fault};
	*fault = (pl_decode_fault){0};
	if (len == 0)
		return true;
	return decode_message(&d, l, message, (pl_cursor){data, data + len});
}
