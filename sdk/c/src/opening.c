#include "instance.h"

pl_kind pl_kind_of(const pl_offer *o)
{
	int tables = (o->workload != NULL) + (o->validator != NULL) + (o->scorer != NULL) + (o->counter != NULL);
	if (tables != 1)
		return PL_KIND_UNSPECIFIED;
	return o->workload != NULL ? PL_KIND_WORKLOAD : o->validator != NULL ? PL_KIND_VALIDATOR : o->scorer != NULL ? PL_KIND_SCORER : PL_KIND_COUNTER;
}

// The lists of an offer are written, never changed.
#define UNCHANGED(type, list) ((type *)(uintptr_t)(list))

pl_code pl_describe(pl_call *call, pl_describe_response *out)
{
	const pl_plugin *p = call->instance->plugin;
	*out = (pl_describe_response){.name = pl_str_of(p->name), .version = pl_str_of(p->version), .contract_version = PL_CONTRACT_VERSION, .sdk = PL_STR(PL_SDK_VERSION)};
	for (const pl_offer *o = p->offers; o < p->offers + p->offers_len; o++) {
		pl_component *c = PL_PUSH(call, out, components);
		*c = (pl_component){
			.kind = pl_kind_of(o),
			.name = pl_str_of(o->name),
			.summary = pl_str_of(o->summary),
			.config_schema = pl_str_of(o->config_schema),
			.purity = o->purity == PL_PURITY_UNSPECIFIED ? PL_PURITY_PURE : o->purity,
			.unit = o->unit,
			.capabilities = UNCHANGED(pl_capability, o->capabilities),
			.capabilities_len = o->capabilities_len,
			.inputs = UNCHANGED(pl_str, o->inputs),
			.inputs_len = o->inputs_len,
			.needs = UNCHANGED(pl_need, o->needs),
			.needs_len = o->needs_len,
			.probes = UNCHANGED(pl_probe, o->probes),
			.probes_len = o->probes_len,
			.imports = UNCHANGED(pl_str, o->imports),
			.imports_len = o->imports_len,
		};
	}
	return PL_OK;
}

static const pl_offer *find_offer(const pl_plugin *p, pl_str name)
{
	for (const pl_offer *o = p->offers; o < p->offers + p->offers_len; o++)
		if (pl_equal_c(name, o->name))
			return o;
	return NULL;
}

static pl_code answer(const pl_opening *o, const pl_offer *offer, pl_open_response *out)
{
	if (o->faults_len > 0) {
		*out = (pl_open_response){.faults = o->faults, .faults_len = o->faults_len};
		return PL_OK;
	}
	*out = (pl_open_response){.prepared = o->prepare, .losses = o->losses, .losses_len = o->losses_len};
	if (offer->workload != NULL) {
		out->workload = PL_NEW(o->call, pl_workload_info);
		*out->workload = o->workload;
	}
	return PL_OK;
}

pl_code pl_open(pl_call *call, const pl_open_request *r, uint8_t *block, pl_open_response *out)
{
	pl_instance *i = call->instance;
	if (i->open != NULL)
		return pl_fail(call, PL_FAILED_PRECONDITION, "the instance is open already");
	const pl_offer *offer = find_offer(i->plugin, r->component);
	if (offer == NULL)
		return pl_fail(call, PL_NOT_FOUND, "plugin %s has no component %.*s", i->plugin->name, PL_ARG(r->component));
	pl_opening *o = PL_NEW(call, pl_opening);
	*o = (pl_opening){.call = call, .config = r->config, .seed = r->seed, .inputs = r->inputs, .inputs_len = r->inputs_len,
		.granted = r->granted, .granted_len = r->granted_len, .prepared = r->prepared};
	void *self = NULL;
	pl_code code = offer->open == NULL ? PL_OK : offer->open(o, &self);
	if (code != PL_OK)
		return code;
	code = answer(o, offer, out);
	if (o->faults_len > 0)
		return code;
	i->open = offer;
	i->self = self;
	i->request = block;
	return code;
}

const pl_input *pl_find_input(pl_opening *o, const char *name)
{
	for (size_t i = 0; i < o->inputs_len; i++)
		if (pl_equal_c(o->inputs[i].name, name))
			return &o->inputs[i];
	pl_input_fault(o, name, 0, 0, "missing-input", pl_format(o->call, "input %s is missing", name), PL_STR("a file"));
	return NULL;
}

bool pl_granted(const pl_opening *o, pl_capability capability)
{
	for (size_t i = 0; i < o->granted_len; i++)
		if (o->granted[i] == capability)
			return true;
	return false;
}

pl_fault *pl_config_fault(pl_opening *o, pl_str pointer, const char *code, pl_str message, pl_str expected)
{
	pl_fault *f = PL_PUSH(o->call, o, faults);
	*f = (pl_fault){.pointer = pointer, .code = pl_str_of(code), .message = message, .expected = expected};
	return f;
}

pl_fault *pl_input_fault(pl_opening *o, const char *input, uint64_t line, uint64_t offset, const char *code, pl_str message, pl_str expected)
{
	pl_fault *f = PL_PUSH(o->call, o, faults);
	*f = (pl_fault){.input = pl_str_of(input), .line = line, .offset = offset, .code = pl_str_of(code), .message = message, .expected = expected};
	return f;
}
