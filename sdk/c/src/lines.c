#include "paceline.h"

#define FIRST_ROOM ((size_t)256 << 10)

pl_lines pl_lines_new(pl_call *call, const pl_input *in) { return (pl_lines){.call = call, .in = in}; }

void pl_lines_resume(pl_lines *l, uint64_t offset, uint64_t line)
{
	l->from = l->to = 0;
	l->base = l->next = offset;
	l->line = line;
	l->code = PL_OK;
	l->text = (pl_str){NULL, 0};
}

pl_code pl_lines_code(const pl_lines *l) { return l->code; }

static size_t limit(const pl_lines *l) { return l->max_line > 0 ? l->max_line : PL_MAX_LINE; }

static bool fail(pl_lines *l, const char *why)
{
	l->code = pl_fail(l->call, PL_UNKNOWN, "line %llu: %s", (unsigned long long)l->line + 1, why);
	return false;
}

// make_room moves what is not yet consumed to the start of the buffer and makes that larger where it is full.
static bool make_room(pl_lines *l)
{
	size_t have = l->to - l->from;
	char *buf = l->buf;
	if (have == l->room) {
		l->room = l->room == 0 ? FIRST_ROOM : l->room * 2;
		if ((buf = pl_try_alloc(l->call, l->room)) == NULL) {
			l->room = have;
			l->code = pl_fail(l->call, PL_RESOURCE_EXHAUSTED, "line %llu: out of memory for it", (unsigned long long)l->line + 1);
			return false;
		}
	}
	if (have > 0 && (buf != l->buf || l->from > 0))
		__builtin_memmove(buf, l->buf + l->from, have);
	l->buf = buf;
	l->base += l->from;
	l->from = 0;
	l->to = have;
	return true;
}

// fill reads on behind what is in the buffer.
static bool fill(pl_lines *l)
{
	if (!make_room(l))
		return false;
	uint64_t end = l->base + l->to;
	uint64_t left = l->in->size - end;
	size_t room = l->room - l->to, got;
	if (left < room)
		room = (size_t)left;
	l->code = pl_input_read_at(l->call, l->in, end, l->buf + l->to, room, &got);
	l->to += got;
	return l->code == PL_OK && (got == room || fail(l, "the input ends before the size that the host told"));
}

// set takes a line of that many bytes, with so many bytes of its end behind it.
static bool set(pl_lines *l, size_t length, size_t end)
{
	l->text = (pl_str){l->buf + l->from, length};
	if (length > 0 && l->text.ptr[length - 1] == '\r')
		l->text.len--;
	if (l->text.len > limit(l))
		return fail(l, "line too long");
	l->line++;
	l->offset = l->base + l->from;
	l->from += length + end;
	l->next = l->base + l->from;
	return true;
}

// has_end reports whether one of eight bytes is an LF: whether one is 0 after LF was taken from each.
static bool has_end(const char *at)
{
	const uint64_t ones = UINT64_MAX / 255;
	uint64_t w;
	__builtin_memcpy(&w, at, sizeof w);
	w ^= ones * '\n';
	return ((w - ones) & ~w & ones << 7) != 0;
}

// find_end gives where in text the first LF is; its length where there is none.
static size_t find_end(const char *text, size_t from, size_t len)
{
	while (len - from >= 8 && !has_end(text + from))
		from += 8;
	while (from < len && text[from] != '\n')
		from++;
	return from;
}

// take sets the next line, blank or not.
static bool take(pl_lines *l)
{
	size_t searched = 0;
	while (l->code == PL_OK) {
		size_t have = l->to - l->from;
		searched = have == 0 ? 0 : find_end(l->buf + l->from, searched, have);
		if (searched < have)
			return set(l, searched, 1);
		if (have > limit(l))
			return fail(l, "line too long");
		if (l->base + l->to >= l->in->size)
			return have > 0 && set(l, have, 0);
		if (!fill(l))
			return false;
	}
	return false;
}

static bool blank(pl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != ' ' && text.ptr[i] != '\t' && text.ptr[i] != '\r')
			return false;
	return true;
}

bool pl_lines_next(pl_lines *l)
{
	while (take(l)) {
		if (l->offset == 0 && pl_starts_with(l->text, PL_STR("\xEF\xBB\xBF"))) {
			l->text = pl_cut(l->text, 3, l->text.len);
			l->offset = 3;
		}
		if (!blank(l->text))
			return true;
	}
	l->text = (pl_str){NULL, 0};
	return false;
}
