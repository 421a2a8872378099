// Drives a plugin's components in an ordinary program through the bytes that a host would send, so that a test sees what a
// run would see: limits of the contract, presence, and nothing shared between calls.

#ifndef PACELINE_TEST_H
#define PACELINE_TEST_H

#include "paceline.h"

// What pl_test_call returns where the component trapped: the instance is gone.
#define PL_TEST_TRAPPED (-1)

// One instance of a plugin and the host around it.
typedef struct pl_test pl_test;

// Starts an instance. It must be freed; messages that calls gave stay until then.
pl_test *pl_test_new(const pl_plugin *plugin);
void pl_test_free(pl_test *t);

// Adds an input, whose bytes are not copied. Inputs come before the component is opened.
void pl_test_input(pl_test *t, const char *name, const void *data, size_t len);

// Opens a component with a configuration, NULL for none, the inputs, and a seed of 32 zero bytes. The response says what
// came of it; it is NULL where the answer was a status.
pl_code pl_test_open(pl_test *t, const char *component, const char *config, const pl_open_response **out);

// Asks a method. request and *response are the method's messages, e.g. a pl_plan_request and a pl_plan_response; response may
// be NULL. It gives the status's code, or PL_OK.
pl_code pl_test_call(pl_test *t, pl_method method, const void *request, const void *response);

// Sends bytes as they are. The reply, with its first byte, stays until the next call.
pl_code pl_test_raw(pl_test *t, pl_method method, const void *request, size_t len, pl_str *reply);

// The text of the last status.
const char *pl_test_text(const pl_test *t);

// Line i of the log as "LEVEL TEXT", counted over all calls; NULL behind the last one.
const char *pl_test_log(const pl_test *t, size_t i);

// Bounds the bytes that the instance may hold in all, and lets the nth further allocation fail; 0 takes the bound away.
void pl_test_memory(pl_test *t, size_t bytes);
void pl_test_fail_allocation(pl_test *t, size_t nth);

// Faults of a plugin's definition, one a line; "" where there are none. The text stays until the next call.
const char *pl_test_definition(const pl_plugin *plugin);

// Ends the program with a message and the place where a condition does not hold.
#define PL_EXPECT(condition) \
	((condition) ? (void)0 : pl_test_stop(__FILE__, __LINE__, #condition))
_Noreturn void pl_test_stop(const char *file, int line, const char *condition);

#endif
