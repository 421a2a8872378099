#include "instance.h"

// First bytes of a reply.
enum { MESSAGE = 0, STATUS = 1 };

// The reply for want of memory for one. It is never given back: pl_instance_free knows it.
static uint8_t no_memory[] = "\x01\x08out of memory for the reply";
static const pl_reply no_memory_reply = {no_memory, sizeof no_memory - 1};

bool pl_is_constant_reply(const void *block) { return block == no_memory; }

pl_reply pl_reply_message(pl_call *call, const pl_layout *l, const void *message)
{
	uint64_t size = pl_encoded_size(l, message, PL_MAX_REPLY);
	if (size >= PL_MAX_REPLY)
		return pl_reply_status(call, pl_fail(call, PL_RESOURCE_EXHAUSTED, "the response is too large: a reply holds %u bytes", (unsigned)PL_MAX_REPLY));
	uint8_t *block = pl_system_alloc((size_t)size + 1);
	if (block == NULL)
		return no_memory_reply;
	block[0] = MESSAGE;
	pl_encode(l, message, block + 1, (size_t)size);
	return (pl_reply){block, (size_t)size + 1};
}

// cut gives how much of a valid text fits into a status.
static size_t cut(const uint8_t *text, size_t len)
{
	if (len <= PL_MAX_STATUS)
		return len;
	len = PL_MAX_STATUS;
	while (len > 0 && (text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

pl_reply pl_reply_status(pl_call *call, pl_code code)
{
	if (code < PL_CANCELLED || code > PL_UNAUTHENTICATED)
		code = PL_UNKNOWN;
	size_t len = pl_replace_invalid(call->text, NULL);
	uint8_t *block = pl_system_alloc(len + 2);
	if (block == NULL)
		return no_memory_reply;
	block[0] = STATUS;
	block[1] = (uint8_t)code;
	pl_replace_invalid(call->text, (char *)block + 2);
	return (pl_reply){block, cut(block + 2, len) + 2};
}
