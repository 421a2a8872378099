// Drives a plugin's module through the bytes that a host would send, in Node's own WebAssembly: for a plugin's tests.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

import { decode, encode } from "./codec.mjs";
import { Capability, Method } from "./messages_gen.mjs";

export { decode, encode } from "./codec.mjs";
export { checkManifest } from "./manifest.mjs";
export * from "./messages_gen.mjs";

/** StatusError is an answer that says why there is no result. */
export class StatusError extends Error {
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

/** FaultsError is what is wrong with a configuration or an input. */
export class FaultsError extends Error {
  constructor(faults) {
    super(faults.map((f) => `${f.pointer || f.input}: ${f.message}`).join("; "));
    this.faults = faults;
  }
}

/** load reads a module from a file, or takes its bytes. Nothing runs yet. */
export async function load(module) {
  const bytes = typeof module === "string" ? await readFile(module) : module;
  return new Plugin(await WebAssembly.compile(bytes));
}

/** Plugin is a module; each instance that it makes is a fresh one. */
export class Plugin {
  constructor(module) {
    this.module = module;
  }

  /** imports names what the module asks of its host, sorted. */
  get imports() {
    return WebAssembly.Module.imports(this.module)
      .map((i) => `${i.module}.${i.name}`)
      .sort();
  }

  /** manifest is the manifest that the module carries; null: none. */
  get manifest() {
    const [section] = WebAssembly.Module.customSections(this.module, "paceline.manifest");
    return section ? JSON.parse(new TextDecoder().decode(section)) : null;
  }

  /** instance makes an instance that was not opened; inputs are lists of {name, data}. */
  async instance(inputs = []) {
    const made = new Instance(inputs.map((i) => Buffer.from(i.data)));
    const { exports } = await WebAssembly.instantiate(this.module, { paceline_v1: made.imports() }).then((x) => ({ exports: x.exports }));
    made.exports = exports;
    exports._initialize?.();
    return made;
  }

  async describe() {
    return (await this.instance()).call("Describe", "DescribeRequest", { contractVersion: 1 }, "DescribeResponse");
  }

  /**
   * open opens a component in a fresh instance. Options: config (JSON, or what becomes it), seed (32 bytes), inputs (a list of
   * {name, data}; they are granted), granted, prepared. It throws FaultsError or StatusError where that is refused.
   */
  async open(component, options = {}) {
    const { config = "", seed = new Uint8Array(32), inputs = [], granted = [], prepared = "" } = options;
    const instance = await this.instance(inputs);
    const opened = instance.call(
      "Open",
      "OpenRequest",
      {
        component,
        config: typeof config === "string" ? config : JSON.stringify(config),
        seed,
        inputs: inputs.map((i, handle) => ({
          name: i.name,
          handle,
          size: Buffer.from(i.data).length,
          sha256: createHash("sha256").update(i.data).digest(),
        })),
        granted: inputs.length > 0 ? [...granted, Capability.Inputs] : granted,
        prepared,
      },
      "OpenResponse",
    );
    if (opened.faults.length > 0) throw new FaultsError(opened.faults);
    return new Component(instance, opened);
  }
}

/** Instance is one instance of a module with its host. */
export class Instance {
  /** The lines that were logged, each with its level before it. */
  logs = [];

  constructor(inputs) {
    this.inputs = inputs;
  }

  /** The host's functions, as ABI.md has them. */
  imports() {
    const memory = () => Buffer.from(this.exports.memory.buffer);
    return {
      log: (level, ptr, len) => {
        const block = memory().subarray(ptr >>> 0, (ptr >>> 0) + (len >>> 0));
        this.logs.push(`${level} ${block.toString().slice(0, 8192)}`);
      },
      input_read: (handle, offset, ptr, len) => {
        const data = this.inputs[handle >>> 0];
        if (data === undefined) return -1n;
        if ((ptr >>> 0) + (len >>> 0) > memory().length) return -2n;
        if (offset < 0n) return -3n;
        if (offset >= BigInt(data.length)) return 0n;
        const at = Number(offset);
        return BigInt(data.copy(memory(), ptr >>> 0, at, at + Math.min(len >>> 0, 16 << 20)));
      },
    };
  }

  /** send sends the bytes of a request as the host does, and returns the bytes of the reply. What traps throws. */
  send(method, request) {
    const { paceline_v1_alloc: alloc, paceline_v1_free: free, paceline_v1_invoke: invoke, memory } = this.exports;
    let at = 0;
    if (request.length > 0) {
      at = alloc(request.length) >>> 0;
      if (at === 0) throw new Error("out of memory for the request");
      if (at + request.length > memory.buffer.byteLength) throw new Error("the block lies outside of the memory");
      Buffer.from(memory.buffer).set(request, at);
    }
    const packed = BigInt.asUintN(64, invoke(method, at, request.length));
    const [ptr, len] = [Number(packed >> 32n), Number(packed & 0xffffffffn)];
    if (ptr === 0 || len === 0 || ptr + len > memory.buffer.byteLength) throw new Error(`malformed reply: ${len} bytes at ${ptr}`);
    const reply = Buffer.from(Buffer.from(memory.buffer).subarray(ptr, ptr + len));
    if (request.length > 0) free(at, request.length);
    free(ptr, len);
    return reply;
  }

  /** call sends a message and reads the answer; a status throws StatusError. */
  call(method, ask, request, answer) {
    const reply = this.send(Method[method], encode(ask, request));
    if (reply[0] === 0) return decode(answer, reply.subarray(1));
    if (reply[0] !== 1 || reply.length < 2 || reply[1] < 1 || reply[1] > 16 || reply.length > 2 + 4096) {
      throw new Error("malformed reply");
    }
    throw new StatusError(reply[1], reply.subarray(2).toString());
  }
}

/** Component is one opened component. */
export class Component {
  constructor(instance, opened) {
    this.instance = instance;
    /** What Open answered. */
    this.opened = opened;
  }

  get logs() {
    return this.instance.logs;
  }

  /** checkInputs takes all steps: every fault, and the number of items seen. */
  checkInputs() {
    const faults = [];
    let cursor = new Uint8Array(0);
    for (;;) {
      const r = this.instance.call("CheckInputs", "CheckInputsRequest", { cursor, maxFaults: 1000 }, "CheckInputsResponse");
      faults.push(...r.faults);
      if (r.done) return { faults, items: r.items };
      if (Buffer.compare(r.cursor, cursor) === 0) throw new Error("checkInputs stands still");
      cursor = r.cursor;
    }
  }

  plan(index, repeat = 0, seed = new Uint8Array(32)) {
    return this.instance.call("Plan", "PlanRequest", { index, repeat, seed }, "PlanResponse").trajectory;
  }
  next(state, turn, answer) {
    return this.instance.call("Next", "NextRequest", { state, turn, answer }, "NextResponse");
  }
  preflight(facts, runConfig = "{}") {
    return this.instance.call("Preflight", "PreflightRequest", { facts, runConfig }, "PreflightResponse").findings;
  }
  check(...samples) {
    return this.instance.call("Check", "CheckRequest", { samples }, "CheckResponse");
  }
  score(...samples) {
    return this.instance.call("Score", "ScoreRequest", { samples }, "ScoreResponse");
  }
  count(...samples) {
    return this.instance.call("Count", "CountRequest", { samples }, "CountResponse").counts;
  }

  /** concludeCheck folds the accounts in order and asks a validator for its verdict, concludeScore a scorer for its score. */
  concludeCheck(run, ...accounts) {
    const account = this.fold("FoldCheck", accounts);
    return this.instance.call("ConcludeCheck", "ConcludeRequest", { ...run, account }, "ConcludeCheckResponse");
  }
  concludeScore(run, ...accounts) {
    const account = this.fold("FoldScore", accounts);
    return this.instance.call("ConcludeScore", "ConcludeRequest", { ...run, account }, "ConcludeScoreResponse");
  }

  fold(method, accounts) {
    let account = new Uint8Array(0);
    for (const batch of accounts) account = this.instance.call(method, "FoldRequest", { account, batch }, "FoldResponse").account;
    return account;
  }
}
