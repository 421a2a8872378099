import { alloc } from "./blocks";
import { Reader, Writer } from "./contract/wire";
import { Code, Failure } from "./status";
import { bytesOf } from "./text";

/** The longest message of a reply, as the contract allows it with the byte before it, and the longest text of a status. */
const MAX_MESSAGE: u64 = (64 << 20) - 1;
const MAX_TEXT: i32 = 4096;

/** Reply is a reply that is being written: a byte that says what it is, then the message or the status. */
export class Reply extends Writer {
  constructor(private start: usize, private size: u32, kind: u8) {
    super(start + 1);
    store<u8>(start, kind);
  }

  /** done is the reply as the ABI hands it over. */
  done(): u64 {
    assert(this.at == this.start + this.size, "a message has another size than it was said to have");
    return (<u64>this.start << 32) | this.size;
  }
}

/** begin begins the reply with a message of that size; null where no reply may be so long. */
export function begin(size: u64): Reply | null {
  if (size > MAX_MESSAGE) return null;
  return new Reply(reserve(<u32>size + 1), <u32>size + 1, 0);
}

export function tooLong(): u64 {
  return status(Code.ResourceExhausted, "the reply would be longer than 67108864 bytes");
}

/** empty is the reply with an empty message. */
export function empty(): u64 {
  const at = reserve(1);
  return new Reply(at, 1, 0).done();
}

/** status is the reply that says why there is no result. */
export function status(code: Code, text: string): u64 {
  const bytes = bytesOf(text);
  let n = bytes.length;
  if (n > MAX_TEXT) {
    n = MAX_TEXT;
    while ((bytes[n] & 0xc0) == 0x80) n--; // not within a character
  }
  const at = reserve(<u32>n + 2);
  const known = code >= Code.Cancelled && code <= Code.Unauthenticated;
  store<u8>(at + 1, <u8>(known ? code : Code.Unknown));
  memory.copy(at + 2, bytes.dataStart, n);
  store<u8>(at, 1);
  return (<u64>at << 32) | <u64>(n + 2);
}

export function malformed(message: string, r: Reader): u64 {
  return status(Code.InvalidArgument, `decode ${message}: ${r.error}`);
}

/** failed is the status of a component that left no result: its own, or one that says that it left none. */
export function failed(failure: Failure | null, what: string): u64 {
  if (failure !== null) return status(failure.code, failure.text);
  return status(Code.Internal, `${what} returned neither a result nor an error`);
}

/** reserve traps where there is no memory: without it there is no reply at all. */
function reserve(size: u32): usize {
  const at = alloc(size);
  if (at == 0) throw new Error("out of memory for the reply");
  return at;
}
