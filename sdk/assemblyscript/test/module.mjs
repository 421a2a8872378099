// The modules that the tests load; prepare.mjs builds them.

import path from "node:path";
import { fileURLToPath } from "node:url";

import { load, StatusError } from "../paceline/testing/index.mjs";

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const built = path.join(root, "build", "test");

/** kinds is the tests' own plugin, echo the example. */
export const kinds = () => load(path.join(built, "kinds.wasm"));
export const echo = () => load(path.join(built, "echo.wasm"));

/** statusOf gives code and text of the status that a call throws. */
export function statusOf(call) {
  try {
    call();
  } catch (e) {
    if (e instanceof StatusError) return `${e.code} ${e.message}`;
    throw e;
  }
  return "no status";
}
