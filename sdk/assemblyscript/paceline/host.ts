// What a guest may ask of its host.

// @ts-ignore: decorator
@external("paceline_v1", "log")
declare function hostLog(level: u32, ptr: usize, len: u32): void;

// @ts-ignore: decorator
@external("paceline_v1", "input_read")
declare function hostInputRead(input: u32, offset: u64, ptr: usize, len: u32): i64;

/** log has lines for the person who runs or writes the plugin. They are bound in number and never part of a result. */
export namespace log {
  /** debug logs what only the plugin's author needs. */
  export function debug(text: string): void {
    line(0, text);
  }
  /** info logs what is good to know. */
  export function info(text: string): void {
    line(1, text);
  }
  /** warning logs what may be wrong. */
  export function warning(text: string): void {
    line(2, text);
  }
  /** error logs what is wrong. */
  export function error(text: string): void {
    line(3, text);
  }
}

function line(level: u32, text: string): void {
  const bytes = String.UTF8.encode(text, false, String.UTF8.ErrorMode.REPLACE);
  hostLog(level, changetype<usize>(bytes), bytes.byteLength);
}

/** logBytes logs the UTF-8 at an address. */
export function logBytes(level: u32, ptr: usize, len: u32): void {
  hostLog(level, ptr, len);
}

/** readInput copies bytes of an input to an address: how many, 0 at the end, or one of the host's codes below 0. */
export function readInput(handle: u32, offset: u64, ptr: usize, len: u32): i64 {
  return hostInputRead(handle, offset, ptr, len);
}

/** readFault puts a code of readInput into words. */
export function readFault(code: i64): string {
  if (code == -1 || code == -5) return "no such input, or not granted";
  if (code == -2 || code == -3) return "outside of memory or of the input's range";
  return "the host could not read it";
}
