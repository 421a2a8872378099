// One instance of a plugin, as a wasm module is one: it is opened once, for one component, and answers one call at a time.

#ifndef PACELINE_INSTANCE_H
#define PACELINE_INSTANCE_H

#include "codec.h"
#include "paceline.h"

// The most that a reply holds, its first byte included, and the most of a status's text.
#define PL_MAX_REPLY ((uint64_t)64 << 20)
#define PL_MAX_STATUS 4096

typedef struct pl_part pl_part;

typedef struct pl_instance {
	const pl_plugin *plugin;
	const pl_offer *open; // NULL before Open
	void *self;
	pl_arena kept;  // lives as long as the instance
	void *request;  // the block of the request that opened it: what the component was opened with points into it
	pl_arena batch; // of a batch that goes on in the next request
	pl_part *parts; // its parts, the last one first
} pl_instance;

// A call in progress.
struct pl_call {
	pl_instance *instance;
	pl_arena arena;
	bool joined;    // the request completed a batch, whose parts go with the reply
	pl_str text;    // of the last failure
	char room[512]; // for it: when memory is wanting, the text that says so must still come out
};

typedef struct pl_reply {
	uint8_t *ptr; // a block of pl_system_alloc, or a constant for want of memory
	size_t len;
} pl_reply;

// Answers one request. request is a block of pl_system_alloc, or NULL with len 0.
pl_reply pl_instance_invoke(pl_instance *i, uint32_t method, uint8_t *request, size_t len);

// Takes a block back from the host: a request or a reply.
void pl_instance_free(pl_instance *i, void *block);

// Gives all memory back, for tests: a module ends as a whole.
void pl_instance_end(pl_instance *i);

// The kind of an offer; zero where none or several of its tables are set.
pl_kind pl_kind_of(const pl_offer *o);

pl_code pl_describe(pl_call *call, pl_describe_response *out);
pl_code pl_open(pl_call *call, const pl_open_request *r, uint8_t *block, pl_open_response *out);

// Asks the component. request and response are the method's messages, and block is the request's.
pl_code pl_ask(pl_call *call, uint32_t method, void *request, void *response, uint8_t *block);
bool pl_offers(const pl_instance *i, uint32_t method);

// The messages of a method; NULL where the contract has none of that number.
typedef struct pl_route {
	uint16_t method;
	const pl_layout *request, *response;
} pl_route;
const pl_route *pl_route_of(uint32_t method);

// Joins the requests of one batch: as long as the last sample says that its unit goes on, samples are held, and false is
// returned. Then the list is that of the whole batch.
bool pl_join(pl_call *call, pl_sample **samples, size_t *len, uint8_t *block);

pl_reply pl_reply_message(pl_call *call, const pl_layout *l, const void *message);
pl_reply pl_reply_status(pl_call *call, pl_code code);

#endif
