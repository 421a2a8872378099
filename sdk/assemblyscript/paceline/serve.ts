import { Instance } from "./instance";
import { Plugin } from "./plugin";

// The ABI's exports are functions without a receiver, so what they work on must be global.
let served: Instance | null = null;

/** serve makes the plugin what this module offers. Call it once, at the top level of the module. */
export function serve(plugin: Plugin): void {
  served = new Instance(plugin);
}

export function instance(): Instance {
  const i = served;
  if (i === null) throw new Error("no plugin is served: call serve at the top level of the module");
  return i;
}
