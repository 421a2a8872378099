// Text, numbers and the building of both. A pl_str is a run of bytes that is not ended by a NUL: text where the contract
// says string, any bytes where it says bytes.

#ifndef PACELINE_TEXT_H
#define PACELINE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A call in progress, and what its functions return; paceline.h has both.
typedef struct pl_call pl_call;
typedef int32_t pl_code;

typedef struct pl_str {
	const char *ptr; // NULL: there is none, and len is 0
	size_t len;
} pl_str;

// A pl_str of a string literal, as an expression and as an initializer of static data.
#define PL_STR(literal) ((pl_str){"" literal, sizeof(literal) - 1})
#define PL_INIT(literal) {"" literal, sizeof(literal) - 1}

#if defined(__GNUC__)
#define PL_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define PL_PRINTF(text, first)
#endif

// A pl_str over a text that ends with a NUL, which is not copied. NULL gives an empty one.
pl_str pl_str_of(const char *text);

bool pl_equal(pl_str a, pl_str b);
bool pl_equal_c(pl_str a, const char *text);
bool pl_starts_with(pl_str text, pl_str with);

// The part of text from an offset on, at most len bytes of it; it never reaches beyond the text.
pl_str pl_cut(pl_str text, size_t from, size_t len);

// Copies bytes that do not overlap. It takes NULL where len is 0.
void pl_copy(void *to, const void *from, size_t len);

// Numbers as 8 bytes, most significant first: what accounts and states are made of.
void pl_store_u64(void *to, uint64_t value);
uint64_t pl_load_u64(const void *from);

// Decimal numbers. They return false, and leave value alone, unless the whole text is such a number in range. Micro reads
// a JSON number with at most six significant digits behind the point as a count of millionths.
bool pl_parse_u64(pl_str text, uint64_t *value);
bool pl_parse_i64(pl_str text, int64_t *value);
bool pl_parse_micro(pl_str text, int64_t *value);

// Whether text is valid UTF-8. The contract's strings are; its bytes need not be.
bool pl_valid_utf8(pl_str text);

// A text that grows, in the memory of a call. Where that is exhausted the call traps.
typedef struct pl_buf {
	pl_call *call;
	char *at;
	size_t len;
	size_t room;
} pl_buf;

pl_buf pl_buf_new(pl_call *call);
pl_str pl_buf_str(const pl_buf *b); // what is in it; good until more is put
void pl_put(pl_buf *b, pl_str text);
void pl_put_c(pl_buf *b, char c);

// Puts a text as a JSON string with its quotes. Bytes that are not UTF-8 become \ufffd, and <, > and & are escaped: the
// bytes are those that Go's encoding/json gives, so that plugins in both languages can give equal ones.
void pl_put_json(pl_buf *b, pl_str text);

// Puts a formatted text. The format is printf's with %s, %.*s, %c, %d, %i, %u, %x, %% and the lengths l, ll, z, a width and
// a flag 0 for numbers; anything else traps.
void pl_putf(pl_buf *b, const char *format, ...) PL_PRINTF(2, 3);
void pl_vputf(pl_buf *b, const char *format, va_list args) PL_PRINTF(2, 0);

// The arguments of %.*s for a pl_str.
#define PL_ARG(text) (int)(text).len, (text).ptr

// A formatted text in the memory of a call.
pl_str pl_format(pl_call *call, const char *format, ...) PL_PRINTF(2, 3);

#endif
