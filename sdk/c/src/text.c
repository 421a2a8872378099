#include "paceline/text.h"

#include "codec.h"

static size_t length_of(const char *text)
{
	size_t n = 0;
	while (text[n] != 0)
		n++;
	return n;
}

pl_str pl_str_of(const char *text)
{
	if (text == NULL)
		return (pl_str){NULL, 0};
	return (pl_str){text, length_of(text)};
}

bool pl_equal(pl_str a, pl_str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (a.ptr[i] != b.ptr[i])
			return false;
	return true;
}

bool pl_equal_c(pl_str a, const char *text) { return pl_equal(a, pl_str_of(text)); }

bool pl_starts_with(pl_str text, pl_str with) { return pl_equal(pl_cut(text, 0, with.len), with); }

pl_str pl_cut(pl_str text, size_t from, size_t len)
{
	if (text.ptr == NULL || from >= text.len)
		return (pl_str){text.ptr, 0};
	size_t rest = text.len - from;
	return (pl_str){text.ptr + from, len < rest ? len : rest};
}

void pl_copy(void *to, const void *from, size_t len)
{
	if (len > 0)
		__builtin_memcpy(to, from, len);
}

void pl_store_u64(void *to, uint64_t value)
{
	unsigned char *b = to;
	for (int i = 7; i >= 0; i--, value >>= 8)
		b[i] = (unsigned char)value;
}

uint64_t pl_load_u64(const void *from)
{
	const unsigned char *b = from;
	uint64_t value = 0;
	for (int i = 0; i < 8; i++)
		value = value << 8 | b[i];
	return value;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// add_digit appends a decimal digit to a number unless that is beyond 64 bits.
static bool add_digit(uint64_t *v, unsigned digit)
{
	if (*v > (UINT64_MAX - digit) / 10)
		return false;
	*v = *v * 10 + digit;
	return true;
}

bool pl_parse_u64(pl_str text, uint64_t *value)
{
	uint64_t v = 0;
	for (size_t i = 0; i < text.len; i++)
		if (!is_digit(text.ptr[i]) || !add_digit(&v, (unsigned)(text.ptr[i] - '0')))
			return false;
	if (text.len == 0)
		return false;
	*value = v;
	return true;
}

// set_signed stores a magnitude with its sign, where that is in range.
static bool set_signed(bool negative, uint64_t v, int64_t *value)
{
	if (v > (uint64_t)INT64_MAX + negative)
		return false;
	*value = negative ? -(int64_t)(v / 2) - (int64_t)(v - v / 2) : (int64_t)v;
	return true;
}

bool pl_parse_i64(pl_str text, int64_t *value)
{
	bool negative = text.len > 0 && text.ptr[0] == '-';
	uint64_t v;
	return pl_parse_u64(pl_cut(text, negative, text.len), &v) && set_signed(negative, v, value);
}

// take_exponent reads what follows an e. It is cut off where no number could be in range.
static bool take_exponent(pl_str text, int *exponent)
{
	bool negative = text.len > 0 && text.ptr[0] == '-';
	size_t i = negative || (text.len > 0 && text.ptr[0] == '+');
	if (i == text.len)
		return false;
	int e = 0;
	for (; i < text.len; i++) {
		if (!is_digit(text.ptr[i]))
			return false;
		if (e < 1000000)
			e = e * 10 + (text.ptr[i] - '0');
	}
	*exponent = negative ? -e : e;
	return true;
}

bool pl_parse_micro(pl_str text, int64_t *value)
{
	uint64_t v = 0;
	size_t digits = 0;
	size_t zeros = 0; // that were read and not yet counted in: they matter where another digit follows
	int scale = 6, exponent = 0;
	bool point = false, negative = text.len > 0 && text.ptr[0] == '-';
	size_t i = negative;
	for (; i < text.len && (is_digit(text.ptr[i]) || (text.ptr[i] == '.' && !point && digits > 0)); i++) {
		if (text.ptr[i] == '.') {
			point = true;
			digits = 0; // there must be some behind it too
			continue;
		}
		digits++;
		scale -= point;
		if (text.ptr[i] == '0') {
			zeros += v != 0;
			continue;
		}
		for (; zeros > 0; zeros--)
			if (!add_digit(&v, 0))
				return false;
		if (!add_digit(&v, (unsigned)(text.ptr[i] - '0')))
			return false;
	}
	if (digits == 0)
		return false;
	if (i < text.len && (text.ptr[i] | 0x20) == 'e') {
		if (!take_exponent(pl_cut(text, i + 1, text.len), &exponent))
			return false;
	} else if (i < text.len) {
		return false;
	}
	if (v == 0) {
		*value = 0;
		return true;
	}
	int64_t shift = (int64_t)scale + exponent + (int64_t)zeros;
	for (; shift > 0; shift--)
		if (!add_digit(&v, 0))
			return false;
	return shift == 0 && set_signed(negative, v, value);
}

size_t pl_utf8_length(pl_str text)
{
	const unsigned char *b = (const unsigned char *)text.ptr;
	if (text.len == 0)
		return 0;
	if (b[0] < 0x80)
		return 1;
	size_t n = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
	if (b[0] < 0xc2 || b[0] > 0xf4 || text.len < n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	// Neither longer than needed, nor a half of a surrogate pair, nor beyond the last character.
	bool bad = (b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f) || (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f);
	return bad ? 0 : n;
}

bool pl_valid_utf8(pl_str text)
{
	for (size_t at = 0; at < text.len;) {
		if ((unsigned char)text.ptr[at] < 0x80) {
			at++;
			continue;
		}
		size_t n = pl_utf8_length(pl_cut(text, at, text.len));
		if (n == 0)
			return false;
		at += n;
	}
	return true;
}

size_t pl_replace_invalid(pl_str text, char *to)
{
	size_t out = 0;
	bool bad = false;
	for (size_t at = 0; at < text.len;) {
		size_t n = pl_utf8_length(pl_cut(text, at, text.len));
		if (n == 0 && !bad) {
			if (to != NULL)
				__builtin_memcpy(to + out, "\xEF\xBF\xBD", 3);
			out += 3;
		}
		for (size_t i = 0; i < n; i++)
			if (to != NULL)
				to[out + i] = text.ptr[at + i];
		bad = n == 0;
		out += n;
		at += n == 0 ? 1 : n;
	}
	return out;
}
