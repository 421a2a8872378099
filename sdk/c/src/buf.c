#include "paceline.h"

pl_buf pl_buf_new(pl_call *call) { return (pl_buf){.call = call}; }

pl_str pl_buf_str(const pl_buf *b) { return (pl_str){b->at == NULL ? "" : b->at, b->len}; }

static void make_room(pl_buf *b, size_t more)
{
	if (more <= b->room - b->len)
		return;
	if (more > SIZE_MAX / 4 || b->len > SIZE_MAX / 4)
		pl_trap("out of memory: a text is too long");
	size_t room = b->room < 128 ? 256 : b->room * 2;
	if (room < b->len + more)
		room = b->len + more;
	char *at = pl_alloc(b->call, room);
	pl_copy(at, b->at, b->len);
	b->at = at;
	b->room = room;
}

void pl_put(pl_buf *b, pl_str text)
{
	make_room(b, text.len);
	pl_copy(b->at + b->len, text.ptr, text.len);
	b->len += text.len;
}

void pl_put_c(pl_buf *b, char c)
{
	make_room(b, 1);
	b->at[b->len++] = c;
}

// A directive of a format.
typedef struct directive {
	bool zeros;
	int width;
	int precision; // -1: none
	int longs;     // 0 int, 1 long, 2 long long, 3 size_t
	char verb;
} directive;

static void put_padded(pl_buf *b, const directive *d, bool negative, const char *digits, size_t n)
{
	size_t all = n + negative;
	size_t fill = d->width > 0 && (size_t)d->width > all ? (size_t)d->width - all : 0;
	for (; fill > 0 && !d->zeros; fill--)
		pl_put_c(b, ' ');
	if (negative)
		pl_put_c(b, '-');
	for (; fill > 0; fill--)
		pl_put_c(b, '0');
	pl_put(b, (pl_str){digits, n});
}

static void put_number(pl_buf *b, const directive *d, bool negative, uint64_t v)
{
	char digits[20];
	size_t at = sizeof digits;
	unsigned base = d->verb == 'x' ? 16 : 10;
	do {
		digits[--at] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v != 0);
	put_padded(b, d, negative, digits + at, sizeof digits - at);
}

// A va_list that can be handed on by its address on every platform.
typedef struct arguments {
	va_list list;
} arguments;

static void put_argument(pl_buf *b, const directive *d, arguments *a)
{
	int64_t i;
	pl_str s;
	switch (d->verb) {
	case 'd':
	case 'i':
		i = d->longs == 0 ? va_arg(a->list, int) : d->longs == 1 ? va_arg(a->list, long) : d->longs == 2 ? va_arg(a->list, long long) : va_arg(a->list, ptrdiff_t);
		put_number(b, d, i < 0, i < 0 ? 0 - (uint64_t)i : (uint64_t)i);
		return;
	case 'u':
	case 'x':
		put_number(b, d, false, d->longs == 0 ? va_arg(a->list, unsigned) : d->longs == 1 ? va_arg(a->list, unsigned long) : d->longs == 2 ? va_arg(a->list, unsigned long long) : va_arg(a->list, size_t));
		return;
	case 'c':
		pl_put_c(b, (char)va_arg(a->list, int));
		return;
	case 's':
		if (d->precision >= 0) {
			s = (pl_str){va_arg(a->list, const char *), (size_t)d->precision};
			if (s.ptr == NULL)
				s.len = 0;
		} else {
			s = pl_str_of(va_arg(a->list, const char *));
		}
		pl_put(b, s);
		return;
	}
	pl_trap("a format has a directive that pl_putf does not know");
}

static const char *read_directive(const char *f, directive *d, arguments *a)
{
	*d = (directive){.precision = -1};
	for (; *f == '0'; f++)
		d->zeros = true;
	for (; *f >= '0' && *f <= '9' && d->width < 1000; f++)
		d->width = d->width * 10 + (*f - '0');
	if (f[0] == '.' && f[1] == '*') {
		d->precision = va_arg(a->list, int);
		if (d->precision < 0)
			d->precision = 0;
		f += 2;
	}
	for (; *f == 'l' && d->longs < 2; f++)
		d->longs++;
	if (*f == 'z') {
		d->longs = 3;
		f++;
	}
	d->verb = *f;
	return *f == 0 ? f : f + 1;
}

void pl_vputf(pl_buf *b, const char *format, va_list args)
{
	arguments a;
	va_copy(a.list, args);
	for (const char *f = format; *f != 0;) {
		if (*f != '%') {
			pl_put_c(b, *f++);
		} else if (f[1] == '%') {
			pl_put_c(b, '%');
			f += 2;
		} else {
			directive d;
			f = read_directive(f + 1, &d, &a);
			put_argument(b, &d, &a);
		}
	}
	va_end(a.list);
}

void pl_putf(pl_buf *b, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	pl_vputf(b, format, args);
	va_end(args);
}

pl_str pl_format(pl_call *call, const char *format, ...)
{
	pl_buf b = pl_buf_new(call);
	va_list args;
	va_start(args, format);
	pl_vputf(&b, format, args);
	va_end(args);
	return pl_buf_str(&b);
}
