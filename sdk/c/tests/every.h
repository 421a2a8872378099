// A plugin with every kind of component and every function, for the tests of the SDK.

#ifndef EVERY_H
#define EVERY_H

#include "paceline.h"

extern const pl_plugin every;

#endif
