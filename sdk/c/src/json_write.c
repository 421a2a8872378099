#include "codec.h"
#include "paceline/text.h"

static void put_escape(pl_buf *b, unsigned c)
{
	switch (c) {
	case '"':
	case '\\':
		pl_put_c(b, '\\');
		pl_put_c(b, (char)c);
		return;
	case '\b':
		pl_put(b, PL_STR("\\b"));
		return;
	case '\f':
		pl_put(b, PL_STR("\\f"));
		return;
	case '\n':
		pl_put(b, PL_STR("\\n"));
		return;
	case '\r':
		pl_put(b, PL_STR("\\r"));
		return;
	case '\t':
		pl_put(b, PL_STR("\\t"));
		return;
	}
	pl_putf(b, "\\u%04x", c);
}

// plain_length is how many bytes from the start of text stand for themselves in a JSON string.
static size_t plain_length(pl_str text)
{
	size_t at = 0;
	while (at < text.len) {
		unsigned char c = (unsigned char)text.ptr[at];
		if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
			break;
		size_t n = pl_utf8_length(pl_cut(text, at, text.len));
		if (n == 0 || (c == 0xe2 && text.ptr[at + 1] == '\x80' && (text.ptr[at + 2] & '\xfe') == '\xa8'))
			break; // no character, or one that ends lines of JavaScript: U+2028 or U+2029
		at += n;
	}
	return at;
}

void pl_put_json(pl_buf *b, pl_str text)
{
	pl_put_c(b, '"');
	while (text.len > 0) {
		size_t n = plain_length(text);
		pl_put(b, pl_cut(text, 0, n));
		text = pl_cut(text, n, text.len);
		if (text.len == 0)
			break;
		n = pl_utf8_length(text);
		if (n == 0)
			pl_put(b, PL_STR("\\ufffd"));
		else if (n == 1)
			put_escape(b, (unsigned char)text.ptr[0]);
		else
			put_escape(b, text.ptr[2] == '\xa8' ? 0x2028 : 0x2029);
		text = pl_cut(text, n == 0 ? 1 : n, text.len);
	}
	pl_put_c(b, '"');
}
