#include "paceline.h"

#include "codec.h"

// What may come next.
enum { VALUE, FIRST_ELEMENT, FIRST_KEY, KEY, COMMA, DONE };

void pl_json_start(pl_json *j, pl_str document)
{
	j->kind = PL_JSON_ERROR;
	j->token = (pl_str){document.ptr, 0};
	j->offset = j->depth = j->at = 0;
	j->error = NULL;
	j->in = document;
	if (document.ptr == NULL)
		j->in.len = 0;
	j->expect = VALUE;
	j->escaped = false;
}

static pl_json_kind fail(pl_json *j, const char *error)
{
	j->error = error;
	j->offset = j->at < j->in.len ? j->at : j->in.len;
	return j->kind = PL_JSON_ERROR;
}

// peek gives the next byte, or 0 at the end; a byte 0 of the document is no JSON anywhere.
static char peek(const pl_json *j) { return j->at < j->in.len ? j->in.ptr[j->at] : 0; }

static bool within_object(const pl_json *j) { return (j->objects[(j->depth - 1) / 8] >> ((j->depth - 1) % 8) & 1) != 0; }

static pl_json_kind push(pl_json *j, bool object)
{
	if (j->depth == PL_JSON_DEPTH)
		return fail(j, "nested too deeply");
	uint8_t bit = (uint8_t)(1 << j->depth % 8);
	if (object)
		j->objects[j->depth / 8] |= bit;
	else
		j->objects[j->depth / 8] &= (uint8_t)~bit;
	j->depth++;
	j->expect = object ? FIRST_KEY : FIRST_ELEMENT;
	j->token = pl_cut(j->in, j->at++, 1);
	return j->kind = object ? PL_JSON_OBJECT : PL_JSON_ARRAY;
}

static pl_json_kind pop(pl_json *j, bool object)
{
	j->depth--;
	j->expect = j->depth == 0 ? DONE : COMMA;
	j->token = pl_cut(j->in, j->at++, 1);
	return j->kind = object ? PL_JSON_OBJECT_END : PL_JSON_ARRAY_END;
}

static bool is_hex(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

// skip_escape passes an escape, behind its backslash.
static bool skip_escape(pl_json *j)
{
	char c = peek(j);
	j->at++;
	if (c == 'u') {
		for (int i = 0; i < 4; i++, j->at++)
			if (!is_hex(peek(j)))
				return false;
		return true;
	}
	return c == '"' || c == '\\' || c == '/' || c == 'b' || c == 'f' || c == 'n' || c == 'r' || c == 't';
}

// take_string reads a string from its first quote on.
static bool take_string(pl_json *j)
{
	size_t start = ++j->at;
	j->escaped = false;
	while (j->at < j->in.len) {
		unsigned char c = (unsigned char)j->in.ptr[j->at];
		if (c == '"') {
			j->token = pl_cut(j->in, start, j->at++ - start);
			return true;
		}
		if (c < 0x20) {
			fail(j, "a control character in a string");
			return false;
		}
		j->at++;
		if (c != '\\')
			continue;
		j->escaped = true;
		if (!skip_escape(j)) {
			fail(j, "an unknown escape in a string");
			return false;
		}
	}
	fail(j, "a string without its end");
	return false;
}

static bool skip_digits(pl_json *j)
{
	size_t start = j->at;
	while (peek(j) >= '0' && peek(j) <= '9')
		j->at++;
	return j->at > start;
}

static pl_json_kind take_number(pl_json *j)
{
	size_t start = j->at;
	if (peek(j) == '-')
		j->at++;
	if (peek(j) == '0')
		j->at++;
	else if (!skip_digits(j))
		return fail(j, "not a value");
	if (peek(j) == '.') {
		j->at++;
		if (!skip_digits(j))
			return fail(j, "a number without digits behind its point");
	}
	if ((peek(j) | 0x20) == 'e') {
		j->at++;
		if (peek(j) == '+' || peek(j) == '-')
			j->at++;
		if (!skip_digits(j))
			return fail(j, "a number without digits in its exponent");
	}
	j->token = pl_cut(j->in, start, j->at - start);
	return j->kind = PL_JSON_NUMBER;
}

static pl_json_kind take_word(pl_json *j, pl_str word, pl_json_kind kind)
{
	j->token = pl_cut(j->in, j->at, word.len);
	if (!pl_equal(j->token, word))
		return fail(j, "not a value");
	j->at += word.len;
	return j->kind = kind;
}

static pl_json_kind take_value(pl_json *j)
{
	j->expect = j->depth == 0 ? DONE : COMMA;
	switch (peek(j)) {
	case '{':
		return push(j, true);
	case '[':
		return push(j, false);
	case '"':
		return take_string(j) ? (j->kind = PL_JSON_STRING) : PL_JSON_ERROR;
	case 'n':
		return take_word(j, PL_STR("null"), PL_JSON_NULL);
	case 't':
		return take_word(j, PL_STR("true"), PL_JSON_TRUE);
	case 'f':
		return take_word(j, PL_STR("false"), PL_JSON_FALSE);
	}
	return take_number(j);
}

static void skip_space(pl_json *j)
{
	while (peek(j) == ' ' || peek(j) == '\t' || peek(j) == '\n' || peek(j) == '\r')
		j->at++;
}

static pl_json_kind take_key(pl_json *j)
{
	if (peek(j) != '"')
		return fail(j, "a key is missing");
	if (!take_string(j))
		return PL_JSON_ERROR;
	skip_space(j);
	if (peek(j) != ':')
		return fail(j, "a colon is missing behind a key");
	j->at++;
	j->expect = VALUE;
	return j->kind = PL_JSON_KEY;
}

pl_json_kind pl_json_next(pl_json *j)
{
	if (j->error != NULL)
		return PL_JSON_ERROR;
	skip_space(j);
	j->offset = j->at;
	if (j->expect == DONE) {
		j->token = (pl_str){j->in.ptr, 0};
		return j->at < j->in.len ? fail(j, "something behind the value") : (j->kind = PL_JSON_END);
	}
	if (j->at == j->in.len)
		return fail(j, "the document ends too early");
	bool object = j->depth > 0 && within_object(j);
	if (j->expect != VALUE && j->expect != KEY && peek(j) == (object ? '}' : ']'))
		return pop(j, object);
	if (j->expect == COMMA) {
		if (peek(j) != ',')
			return fail(j, "a comma or an end is missing");
		j->at++;
		skip_space(j);
		j->offset = j->at;
		j->expect = object ? KEY : VALUE;
	}
	return j->expect == KEY || j->expect == FIRST_KEY ? take_key(j) : take_value(j);
}

bool pl_json_skip(pl_json *j)
{
	if (j->kind == PL_JSON_KEY && pl_json_next(j) == PL_JSON_ERROR)
		return false;
	if (j->error != NULL || (j->kind != PL_JSON_ARRAY && j->kind != PL_JSON_OBJECT))
		return j->error == NULL;
	for (size_t outside = j->depth - 1; j->depth > outside;)
		if (pl_json_next(j) == PL_JSON_ERROR)
			return false;
	return true;
}

bool pl_json_raw(pl_json *j, pl_str *value)
{
	if (j->kind == PL_JSON_KEY && pl_json_next(j) == PL_JSON_ERROR)
		return false;
	size_t start = j->offset;
	if (!pl_json_skip(j))
		return false;
	*value = pl_cut(j->in, start, j->at - start);
	return true;
}

bool pl_json_u64(const pl_json *j, uint64_t *value) { return j->kind == PL_JSON_NUMBER && pl_parse_u64(j->token, value); }
bool pl_json_i64(const pl_json *j, int64_t *value) { return j->kind == PL_JSON_NUMBER && pl_parse_i64(j->token, value); }
bool pl_json_micro(const pl_json *j, int64_t *value) { return j->kind == PL_JSON_NUMBER && pl_parse_micro(j->token, value); }

bool pl_json_valid(pl_str document)
{
	pl_json j;
	pl_json_start(&j, document);
	for (;;) {
		pl_json_kind kind = pl_json_next(&j);
		if (kind == PL_JSON_ERROR || kind == PL_JSON_END)
			return kind == PL_JSON_END;
	}
}
