// Package paceline is what the author of a Paceline plugin in AssemblyScript imports: README.md beside its folder.

import "./abort";

export * from "./contract_gen";
export { NONE } from "./contract/wire";
export { log } from "./host";
export { Json, JsonKind } from "./json";
export { JsonReader } from "./jsonreader";
export { jsonText, JsonWriter } from "./jsonwriter";
export { LineScanner } from "./lines";
export { Input, Opening } from "./opening";
export { Component, Plugin } from "./plugin";
export { Counter, Judge, LiveWorkload, Role, Scorer, Validator, Workload } from "./roles";
export { serve } from "./serve";
export { Code } from "./status";
export { bytesOf, textOf } from "./text";
