// Reading JSON piece by piece, without a tree and without recursion.

#ifndef PACELINE_JSON_H
#define PACELINE_JSON_H

#include "paceline/text.h"

// How deep arrays and objects may be nested.
#define PL_JSON_DEPTH 10000

typedef enum pl_json_kind {
	PL_JSON_ERROR, // the document is malformed; error and offset say how
	PL_JSON_END,   // of the document
	PL_JSON_NULL,
	PL_JSON_FALSE,
	PL_JSON_TRUE,
	PL_JSON_NUMBER,
	PL_JSON_STRING,
	PL_JSON_ARRAY,
	PL_JSON_ARRAY_END,
	PL_JSON_OBJECT,
	PL_JSON_OBJECT_END,
	PL_JSON_KEY, // of a member; its value comes next
} pl_json_kind;

// A reader at one place of a document. It is 1.4 KB: keep one, and pass its address.
typedef struct pl_json {
	pl_json_kind kind; // of the last piece
	pl_str token;      // its bytes as they stand; without the quotes for strings and keys
	size_t offset;     // where in the document it begins
	size_t depth;      // how many arrays and objects are open behind it
	const char *error; // NULL: none so far

	// Not for authors.
	pl_str in;
	size_t at;
	uint8_t expect;
	bool escaped;
	uint8_t objects[PL_JSON_DEPTH / 8];
} pl_json;

// Starts to read a document: one JSON value with nothing behind it.
void pl_json_start(pl_json *j, pl_str document);

// Goes on to the next piece. After PL_JSON_ERROR and PL_JSON_END it stays there.
pl_json_kind pl_json_next(pl_json *j);

// Passes what the last piece began: the rest of an array or object, or a key's value. It returns false where that is
// malformed. After any other piece there is nothing to pass.
bool pl_json_skip(pl_json *j);

// Passes likewise and gives the value as it stands in the document, from its first byte to its last.
bool pl_json_raw(pl_json *j, pl_str *value);

// The text of a string or key, with escapes undone and U+FFFD in place of each byte that is not UTF-8: a part of the
// document where that changes nothing, else memory of the call.
pl_str pl_json_text(pl_call *call, const pl_json *j);

// Whether the last piece is a key of that name.
bool pl_json_is_key(pl_call *call, const pl_json *j, const char *name);

// The value of a number. False where the last piece is none, or is not whole, or out of range. Micro counts millionths.
bool pl_json_u64(const pl_json *j, uint64_t *value);
bool pl_json_i64(const pl_json *j, int64_t *value);
bool pl_json_micro(const pl_json *j, int64_t *value);

// Whether a document is well-formed JSON.
bool pl_json_valid(pl_str document);

#endif
