// The codec of the contract's messages. One loop over a table does for all messages what code for each would do at many
// times the size. It accepts what any protobuf encoder writes and writes canonical bytes.

#ifndef PACELINE_CODEC_H
#define PACELINE_CODEC_H

#include "arena.h"

// How a field is kept in its struct and written on the wire.
typedef enum pl_form {
	PL_FORM_U32,
	PL_FORM_U64,
	PL_FORM_S64,
	PL_FORM_BOOL,
	PL_FORM_ENUM,
	PL_FORM_OPT_U32, // with a bool that says whether it is there
	PL_FORM_OPT_U64,
	PL_FORM_OPT_S64,
	PL_FORM_TEXT,
	PL_FORM_BYTES,   // left out when it is empty
	PL_FORM_PRESENT, // bytes that are left out when ptr is NULL
	PL_FORM_MESSAGE, // a pointer
	PL_FORM_U32S,    // lists: a pointer and a length
	PL_FORM_ENUMS,
	PL_FORM_TEXTS,
	PL_FORM_MESSAGES,
} pl_form;

typedef struct pl_layout pl_layout;

// One field of a message.
typedef struct pl_field {
	uint16_t number;
	uint8_t form;
	uint8_t one;     // member of the oneof; a message has one at most
	uint16_t at;     // offset of the member
	uint16_t second; // offset of its length or of its bool
	const pl_layout *sub;
} pl_field;

struct pl_layout {
	const char *name;
	const pl_field *fields; // by rising number
	uint16_t count;
	uint16_t size;
};

// The deepest nesting of messages that a fault's place is told for. The contract's is 7.
#define PL_MAX_PATH 16

// Why bytes are no message, and where: the messages and fields from the innermost outwards.
typedef struct pl_decode_fault {
	const char *why;
	bool memory; // there was no memory for the message; its bytes may be fine
	size_t depth;
	struct {
		const char *name;
		uint32_t field; // 0: the tag itself
	} path[PL_MAX_PATH];
} pl_decode_fault;

// Reads len bytes into a zeroed message. Text and bytes of the result are parts of data; lists and messages are in memory
// of the arena. It returns false and says why where data is no such message.
bool pl_decode(const pl_layout *l, void *message, const uint8_t *data, size_t len, pl_arena *arena, pl_decode_fault *fault);

// The number of bytes that a message takes; limit + 1 where that is above limit.
uint64_t pl_encoded_size(const pl_layout *l, const void *message, uint64_t limit);

// Writes a message that takes that many bytes.
void pl_encode(const pl_layout *l, const void *message, uint8_t *to, size_t size);

// Length of the character that a text begins with; 0 where its first byte belongs to none.
size_t pl_utf8_length(pl_str text);

// Puts U+FFFD in place of each run of bytes that belong to no character. to may be NULL. It returns the length.
size_t pl_replace_invalid(pl_str text, char *to);

#endif
