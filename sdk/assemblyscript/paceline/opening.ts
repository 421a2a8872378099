import { Capability, Fault, Input as GivenInput, OpenRequest } from "./contract/types_gen";
import { NONE } from "./contract/wire";
import { readFault, readInput } from "./host";
import { Json } from "./json";
import { JsonReader } from "./jsonreader";
import { Code, Failure } from "./status";

/** Opening is what a component is opened with, and where its opening function leaves what the host shall know. */
export class Opening {
  /** The configuration as it was written: JSON. */
  config: Uint8Array;
  /** 32 bytes. */
  seed: Uint8Array;
  inputs: Input[] = [];
  granted: Capability[];
  /** What an earlier opening with the same configuration and inputs left in prepare; empty: there was none. */
  prepared: Uint8Array;

  /**
   * For an index or the like that is slow to make, at most 64 MiB: the host keeps it and gives it to later openings of this
   * component with the same configuration and inputs.
   */
  prepare: Uint8Array = NONE;
  /** What the source has and the contract cannot carry (importers). */
  losses: string[] = [];
  /** What is wrong with the configuration or the inputs. Where there is any, the component is not opened. */
  faults: Fault[] = [];

  private failure: Failure | null = null;

  constructor(request: OpenRequest) {
    this.config = request.config;
    this.seed = request.seed;
    this.granted = request.granted;
    this.prepared = request.prepared;
    for (let i = 0, n = request.inputs.length; i < n; i++) this.inputs.push(new Input(request.inputs[i]));
  }

  /** input is the input of that name. Where the run gives none, that is a fault, and null. */
  input(name: string): Input | null {
    for (let i = 0, n = this.inputs.length; i < n; i++) {
      if (this.inputs[i].name == name) return this.inputs[i];
    }
    this.refuseInput(name, 0, "missing-input", `input ${name} is missing`, "a file");
    return null;
  }

  /** has reports whether a capability was granted. */
  has(capability: Capability): bool {
    return this.granted.includes(capability);
  }

  /** json reads the configuration; none counts as an empty object. Where it is no JSON, that is a fault, and null. */
  json(): Json | null {
    const reader = new JsonReader(this.config.length > 0 ? this.config : Uint8Array.wrap(String.UTF8.encode("{}")));
    const value = reader.read();
    if (value === null) this.refuse("", "not-json", `at byte ${reader.offset}: ${reader.error}`, "JSON");
    return value;
  }

  /** refuse adds a fault of the configuration: pointer is a JSON Pointer, code stable and in kebab-case. */
  refuse(pointer: string, code: string, message: string, expected: string): void {
    const fault = new Fault();
    fault.pointer = pointer;
    fault.code = code;
    fault.message = message;
    fault.expected = expected;
    this.faults.push(fault);
  }

  /** refuseInput adds a fault of an input; line counts from 1, 0 is for the input as a whole. */
  refuseInput(input: string, line: u64, code: string, message: string, expected: string): void {
    const fault = new Fault();
    fault.input = input;
    fault.line = line;
    fault.code = code;
    fault.message = message;
    fault.expected = expected;
    this.faults.push(fault);
  }

  /** fail says why the component cannot be opened where that is no fault that a person can mend. Return null after it. */
  fail(code: Code, text: string): void {
    this.failure = new Failure(code, text);
  }

  /** takeFailure returns what fail left. */
  takeFailure(): Failure | null {
    return this.failure;
  }
}

/** Input is one data set, read in place. It holds no buffer; read it in blocks of 64 KiB or more. */
export class Input {
  name: string;
  /** The input's length in bytes. */
  size: u64;
  /** Of the whole input; the host checked it. */
  sha256: Uint8Array;
  /** What went wrong in the last reading, in words; empty: nothing. */
  error: string = "";

  private handle: u32;

  constructor(given: GivenInput) {
    this.name = given.name;
    this.size = given.size;
    this.sha256 = given.sha256;
    this.handle = given.handle;
  }

  /** readAt fills a block from that offset on. It reads less only at the end of the input, or where error says why. */
  readAt(into: Uint8Array, offset: u64): i32 {
    return this.readTo(into.dataStart, <u32>into.length, offset);
  }

  /** read gives that many bytes from an offset, null where the input has them not all; error says why. */
  read(offset: u64, length: i32): Uint8Array | null {
    const out = new Uint8Array(length);
    if (this.readAt(out, offset) == length) return out;
    if (this.error.length == 0) this.error = `input ${this.name} ends before byte ${offset + <u64>length}`;
    return null;
  }

  /** readTo is readAt for an address. */
  readTo(ptr: usize, length: u32, offset: u64): i32 {
    this.error = "";
    let done: u32 = 0;
    while (done < length) {
      const got = readInput(this.handle, offset + done, ptr + done, length - done);
      if (got < 0) this.error = `read input ${this.name} at ${offset + done}: ${readFault(got)}`;
      if (got <= 0) break;
      done += <u32>got;
    }
    return <i32>done;
  }
}
