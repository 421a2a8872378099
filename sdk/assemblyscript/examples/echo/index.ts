// Plugin echo is an example with one component of three kinds: its workload asks the model to repeat each line of a text, its
// validator wants an answer to every turn, its scorer counts the exact repetitions.

import { Capability, Component, Need, Plugin, serve, Unit } from "paceline";
import { Answered, Exact } from "./judges";
import { Repeat } from "./workload";

export * from "paceline/abi";

const repeat = Component.workload("repeat", "asks for each line of a text", Repeat.open);
repeat.inputs = ["text"];
repeat.capabilities = [Capability.Inputs];

const answered = Component.validator("answered", "wants an answer to every turn", (o) => new Answered());
answered.unit = Unit.Turn;

const exact = Component.scorer("exact", "share of lines that came back unchanged", (o) => new Exact());
exact.unit = Unit.Turn;
exact.needs = [Need.Answer, Need.Truth];

serve(new Plugin("echo", "0.1.0").add(repeat).add(answered).add(exact));
