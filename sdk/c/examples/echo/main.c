#include "echo.h"

PL_SERVE(echo);

const pl_plugin echo = {
	.name = "echo",
	.version = "0.1.0",
	PL_LIST(offers, pl_offer,
		{
			.name = "repeat",
			.summary = "asks for each line of a text",
			PL_LIST(inputs, pl_str, PL_INIT("text")),
			PL_LIST(capabilities, pl_capability, PL_CAPABILITY_INPUTS),
			.open = open_repeat,
			.workload = &repeat,
		},
		{
			.name = "answered",
			.summary = "wants an answer to every turn",
			.unit = PL_UNIT_TURN,
			.validator = &answered,
		},
		{
			.name = "exact",
			.summary = "share of lines that came back unchanged",
			.unit = PL_UNIT_TURN,
			PL_LIST(needs, pl_need, PL_NEED_ANSWER, PL_NEED_TRUTH),
			.scorer = &exact,
		}),
};
