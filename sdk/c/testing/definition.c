#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../src/instance.h"
#include "paceline_test.h"

static char faults[4096];

PL_PRINTF(1, 2) static void add(const char *format, ...)
{
	size_t len = strlen(faults);
	va_list args;
	va_start(args, format);
	vsnprintf(faults + len, sizeof faults - len, format, args);
	va_end(args);
}

static bool valid_name(const char *s)
{
	if (s == NULL || *s < 'a' || *s > 'z')
		return false;
	for (; *s != 0; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == '-'))
			return false;
	return true;
}

static bool complete(const pl_offer *o)
{
	if (o->workload != NULL)
		return o->workload->plan != NULL;
	if (o->validator != NULL)
		return o->validator->check != NULL && o->validator->fold != NULL && o->validator->conclude != NULL;
	if (o->scorer != NULL)
		return o->scorer->score != NULL && o->scorer->fold != NULL && o->scorer->conclude != NULL;
	return o->counter == NULL || o->counter->count != NULL;
}

static void check_offer(const pl_plugin *p, const pl_offer *o)
{
	if (!valid_name(o->name)) {
		add("component name \"%s\": not lower-case letters, digits and hyphens, with a letter first\n", o->name == NULL ? "" : o->name);
		return;
	}
	for (const pl_offer *other = p->offers; other < o; other++)
		if (other->name != NULL && strcmp(other->name, o->name) == 0)
			add("component %s: defined twice\n", o->name);
	if (pl_kind_of(o) == PL_KIND_UNSPECIFIED)
		add("component %s: exactly one of workload, validator, scorer and counter must be set\n", o->name);
	else if (!complete(o))
		add("component %s: a function of its kind is missing\n", o->name);
	if (o->inputs_len > 0 && o->capabilities_len == 0)
		add("component %s: it wants inputs and lacks PL_CAPABILITY_INPUTS\n", o->name);
}

const char *pl_test_definition(const pl_plugin *p)
{
	faults[0] = 0;
	if (!valid_name(p->name))
		add("plugin name \"%s\": not lower-case letters, digits and hyphens, with a letter first\n", p->name == NULL ? "" : p->name);
	const char *first = p->version == NULL ? NULL : strchr(p->version, '.');
	if (first == NULL || strchr(first + 1, '.') == NULL)
		add("plugin version \"%s\": not a semantic version\n", p->version == NULL ? "" : p->version);
	for (const pl_offer *o = p->offers; o < p->offers + p->offers_len; o++)
		check_offer(p, o);
	return faults;
}
