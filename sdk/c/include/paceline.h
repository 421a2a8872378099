// The C SDK of Paceline: what the author of a wasm plugin includes. README.md beside this folder is the introduction.
//
// A plugin is a pl_plugin with its components, each with the functions of one kind, handed to PL_SERVE. An answer is a
// function of the arguments, the configuration, the inputs and the seed, and of nothing else: the host repeats calls in
// other instances and compares.

#ifndef PACELINE_H
#define PACELINE_H

#include "paceline/contract.h"
#include "paceline/input.h"
#include "paceline/json.h"
#include "paceline/random.h"
#include "paceline/text.h"

// This SDK in what a plugin tells about itself.
#define PL_SDK_VERSION "c/1"

// Codes of errors; the numbers are those of google.rpc.Code. PL_OK is what a function returns that did its work.
enum {
	PL_OK = 0,
	PL_CANCELLED = 1,
	PL_UNKNOWN = 2,
	PL_INVALID_ARGUMENT = 3,
	PL_DEADLINE_EXCEEDED = 4,
	PL_NOT_FOUND = 5,
	PL_ALREADY_EXISTS = 6,
	PL_PERMISSION_DENIED = 7,
	PL_RESOURCE_EXHAUSTED = 8,
	PL_FAILED_PRECONDITION = 9,
	PL_ABORTED = 10,
	PL_OUT_OF_RANGE = 11,
	PL_UNIMPLEMENTED = 12,
	PL_INTERNAL = 13,
	PL_UNAVAILABLE = 14,
	PL_DATA_LOSS = 15,
	PL_UNAUTHENTICATED = 16,
};

// Tells why a call has no result and returns the code, so that it can stand in a return statement. The text is cut to the
// contract's 4 KiB. The instance goes on: a status is an answer.
pl_code pl_fail(pl_call *call, pl_code code, const char *format, ...) PL_PRINTF(3, 4);

// Ends the instance: for what cannot be, and must not become an answer. why is logged.
_Noreturn void pl_trap(const char *why);

// Memory of the call: zeroed, aligned for anything, gone when the reply is made. pl_alloc traps where there is none left,
// so it never returns NULL; pl_try_alloc returns NULL then, and NULL for nothing at all is not an error.
void *pl_alloc(pl_call *call, size_t size);
void *pl_try_alloc(pl_call *call, size_t size);
void *pl_alloc_array(pl_call *call, size_t count, size_t size);

// Memory of the instance: as above, but it stays until the instance ends and is never given back. It is for what open
// makes of the configuration and the inputs. A later call may not depend on what another call left: the host may open a
// fresh instance for any call.
void *pl_keep(pl_call *call, size_t size);
void *pl_try_keep(pl_call *call, size_t size);
void *pl_keep_array(pl_call *call, size_t count, size_t size);
pl_str pl_keep_str(pl_call *call, pl_str text); // a copy

// One zeroed value, or an array, of a type in the memory of a call.
#define PL_NEW(call, type) ((type *)pl_alloc((call), sizeof(type)))
#define PL_NEW_ARRAY(call, type, count) ((type *)pl_alloc_array((call), (count), sizeof(type)))

// Appends a zeroed element to a list of a message and gives its address, good until the next one is appended:
//	pl_finding *f = PL_PUSH(call, response, findings);
// It is for lists that grow by PL_PUSH alone.
#define PL_PUSH(call, message, list) \
	((message)->list = pl_grow((call), (message)->list, (message)->list##_len, sizeof *(message)->list), \
	 &(message)->list[(message)->list##_len++])
void *pl_grow(pl_call *call, void *list, size_t len, size_t size);

// Log lines, for the person who runs or writes the plugin. They are bound in number and never part of a result.
enum { PL_DEBUG = 0, PL_INFO = 1, PL_WARNING = 2, PL_ERROR = 3 };
void pl_log(pl_call *call, uint32_t level, const char *format, ...) PL_PRINTF(3, 4);

// What a component is opened with, and where open leaves what the host shall know. All that the host gave stays as long as
// the instance.
typedef struct pl_opening {
	pl_call *call;
	pl_str config; // JSON
	pl_str seed;   // 32 bytes
	const pl_input *inputs;
	size_t inputs_len;
	const pl_capability *granted;
	size_t granted_len;
	pl_str prepared; // what an earlier opening with the same configuration and inputs left in prepare; empty: nothing

	pl_workload_info workload; // workloads
	pl_str prepare;            // an index or the like that is slow to make, at most 64 MiB
	pl_fault *faults;          // what is wrong in ways that a person can mend; open returns PL_OK with them
	size_t faults_len;
	pl_str *losses; // importers: what the source has and the contract cannot carry
	size_t losses_len;
} pl_opening;

// The input of that name; NULL, and a fault that names it, where the run gives none.
const pl_input *pl_find_input(pl_opening *o, const char *name);

bool pl_granted(const pl_opening *o, pl_capability capability);

// Adds a fault of the configuration, at a JSON Pointer, or of an input, at a line (1 is the first, 0 none) and an offset.
// code is stable and kebab-case. More can be said in the pl_fault that they return.
pl_fault *pl_config_fault(pl_opening *o, pl_str pointer, const char *code, pl_str message, pl_str expected);
pl_fault *pl_input_fault(pl_opening *o, const char *input, uint64_t line, uint64_t offset, const char *code, pl_str message, pl_str expected);

// The functions of a component. self is what open left. A function fills its response, which begins as zeros, in memory of
// the call or of the instance and returns PL_OK, or returns what pl_fail gave. Requests live as long as the call.
typedef pl_code pl_open_func(pl_opening *o, void **self);
typedef pl_code pl_check_inputs_func(pl_call *call, void *self, const pl_check_inputs_request *r, pl_check_inputs_response *out);
typedef pl_code pl_fold_func(pl_call *call, void *self, const pl_fold_request *r, pl_fold_response *out);

// A workload makes trajectories: the same for the same arguments, anywhere. next is for live ones alone; the request's
// answer is never NULL.
typedef struct pl_workload {
	pl_code (*plan)(pl_call *call, void *self, const pl_plan_request *r, pl_trajectory *out);
	pl_code (*next)(pl_call *call, void *self, const pl_next_request *r, pl_next_response *out);
} pl_workload;

// A validator says whether what was measured may count. preflight may be NULL. The batch is whole, however many requests
// it came in.
typedef struct pl_validator {
	pl_code (*preflight)(pl_call *call, void *self, const pl_preflight_request *r, pl_preflight_response *out);
	pl_code (*check)(pl_call *call, void *self, const pl_check_request *r, pl_check_response *out);
	pl_fold_func *fold;
	pl_code (*conclude)(pl_call *call, void *self, const pl_conclude_request *r, pl_conclude_check_response *out);
} pl_validator;

// A scorer says how good the answers were.
typedef struct pl_scorer {
	pl_code (*score)(pl_call *call, void *self, const pl_score_request *r, pl_score_response *out);
	pl_fold_func *fold;
	pl_code (*conclude)(pl_call *call, void *self, const pl_conclude_request *r, pl_conclude_score_response *out);
} pl_scorer;

// A counter counts tokens by a model's own tokenizer: one count for each sample, in order.
typedef struct pl_counter {
	pl_code (*count)(pl_call *call, void *self, const pl_count_request *r, pl_count_response *out);
} pl_counter;

// One thing that a plugin offers. Exactly one of workload, validator, scorer and counter is set.
typedef struct pl_offer {
	const char *name;          // lower-case letters, digits and hyphens, a letter first; unique in the plugin
	const char *summary;       // one line
	const char *config_schema; // JSON Schema; NULL: it takes no configuration
	const pl_capability *capabilities;
	size_t capabilities_len;
	pl_purity purity; // zero: pure, as a module is that imports nothing but the host's own functions
	const pl_str *inputs;
	size_t inputs_len;
	pl_unit unit;         // judges: what one item depends on
	const pl_need *needs; // judges and counters: what samples hold beside identity, outcome and timing
	size_t needs_len;
	const pl_probe *probes; // validators
	size_t probes_len;
	const pl_str *imports; // workloads: trace formats that it reads
	size_t imports_len;

	pl_open_func *open; // NULL: it takes whatever it is given, and self is NULL
	const pl_workload *workload;
	const pl_validator *validator;
	const pl_scorer *scorer;
	const pl_counter *counter;
	pl_check_inputs_func *check_inputs; // NULL: there is nothing to check
} pl_offer;

typedef struct pl_plugin {
	const char *name; // as that of an offer
	const char *version; // semantic version
	const pl_offer *offers;
	size_t offers_len;
} pl_plugin;

// Initializes a list and its length in a static pl_offer or pl_plugin:
//	PL_LIST(needs, pl_need, PL_NEED_ANSWER, PL_NEED_TRUTH),
#define PL_LIST(list, type, ...) \
	.list = (const type[]){__VA_ARGS__}, .list##_len = sizeof((const type[]){__VA_ARGS__}) / sizeof(type)

// Makes a plugin what this module offers. It stands once, outside of any function.
#define PL_SERVE(plugin) \
	const pl_plugin *pl_served(void) { return &(plugin); } \
	const pl_plugin *pl_served(void)
const pl_plugin *pl_served(void);

#endif
