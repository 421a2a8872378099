#include "paceline.h"

#include "codec.h"

static unsigned hex4(const char *at)
{
	unsigned v = 0;
	for (int i = 0; i < 4; i++) {
		char c = at[i];
		v = v << 4 | (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return v;
}

// put_rune writes a character to out, which may be NULL, and gives its length.
static size_t put_rune(char *out, unsigned r)
{
	char b[4];
	size_t n;
	if (r < 0x80) {
		b[0] = (char)r;
		n = 1;
	} else if (r < 0x800) {
		b[0] = (char)(0xc0 | r >> 6);
		b[1] = (char)(0x80 | (r & 0x3f));
		n = 2;
	} else if (r < 0x10000) {
		b[0] = (char)(0xe0 | r >> 12);
		b[1] = (char)(0x80 | (r >> 6 & 0x3f));
		b[2] = (char)(0x80 | (r & 0x3f));
		n = 3;
	} else {
		b[0] = (char)(0xf0 | r >> 18);
		b[1] = (char)(0x80 | (r >> 12 & 0x3f));
		b[2] = (char)(0x80 | (r >> 6 & 0x3f));
		b[3] = (char)(0x80 | (r & 0x3f));
		n = 4;
	}
	if (out != NULL)
		__builtin_memcpy(out, b, n);
	return n;
}

#define REPLACEMENT 0xfffd

// take_unicode reads \uXXXX, and the second half of a pair behind it. A half alone becomes U+FFFD.
static unsigned take_unicode(pl_str s, size_t *at)
{
	unsigned r = hex4(s.ptr + *at + 2);
	*at += 6;
	if (r < 0xd800 || r > 0xdfff)
		return r;
	if (r <= 0xdbff && s.len - *at >= 6 && s.ptr[*at] == '\\' && s.ptr[*at + 1] == 'u') {
		unsigned low = hex4(s.ptr + *at + 2);
		if (low >= 0xdc00 && low <= 0xdfff) {
			*at += 6;
			return 0x10000 + ((r - 0xd800) << 10 | (low - 0xdc00));
		}
	}
	return REPLACEMENT;
}

static unsigned take_escape(pl_str s, size_t *at)
{
	char c = s.ptr[*at + 1];
	if (c == 'u')
		return take_unicode(s, at);
	*at += 2;
	switch (c) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	}
	return (unsigned char)c;
}

// unescape writes the text of a string's token, whose escapes are known to be whole, to out, which may be NULL.
static size_t unescape(pl_str s, char *out)
{
	size_t len = 0;
	for (size_t at = 0; at < s.len;) {
		char *to = out == NULL ? NULL : out + len;
		if (s.ptr[at] == '\\') {
			len += put_rune(to, take_escape(s, &at));
			continue;
		}
		size_t n = pl_utf8_length(pl_cut(s, at, s.len));
		if (n == 0) {
			len += put_rune(to, REPLACEMENT);
			at++;
			continue;
		}
		if (to != NULL)
			__builtin_memcpy(to, s.ptr + at, n);
		len += n;
		at += n;
	}
	return len;
}

pl_str pl_json_text(pl_call *call, const pl_json *j)
{
	if (j->kind != PL_JSON_STRING && j->kind != PL_JSON_KEY)
		return (pl_str){NULL, 0};
	if (!j->escaped && pl_valid_utf8(j->token))
		return j->token;
	size_t len = unescape(j->token, NULL);
	char *text = pl_alloc(call, len);
	unescape(j->token, text);
	return (pl_str){text, len};
}

bool pl_json_is_key(pl_call *call, const pl_json *j, const char *name)
{
	return j->kind == PL_JSON_KEY && pl_equal_c(pl_json_text(call, j), name);
}
