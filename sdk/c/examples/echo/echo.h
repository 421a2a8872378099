// The parts of the example echo.

#ifndef ECHO_H
#define ECHO_H

#include "paceline.h"

// The plugin: a workload that asks the model to repeat each line of a text, a validator that wants an answer to every turn,
// and a scorer that counts the exact repetitions.
extern const pl_plugin echo;

pl_open_func open_repeat;
extern const pl_workload repeat;

extern const pl_validator answered;
extern const pl_scorer exact;

#endif
