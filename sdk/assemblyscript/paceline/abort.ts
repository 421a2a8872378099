import { logBytes } from "./host";

let aborting: bool = false;

/**
 * abort is what the language calls on a failed assertion and on throw; the compiler is told to take this one. It logs what
 * happened and traps, so that the host discards the instance. It works on bare addresses, since it is called too when there is
 * no memory left and when the collector's stack is full.
 */
export function abort(message: string | null = null, file: string | null = null, line: u32 = 0, column: u32 = 0): void {
  // Of its own check of that stack the compiler passes addresses that hold nothing.
  if (__stack_pointer < __data_end) tell(changetype<usize>("stack overflow: a recursion is too deep"), 0, 0, 0);
  else tell(changetype<usize>(message), changetype<usize>(file), line, column);
  unreachable();
}

function tell(message: usize, file: usize, line: u32, column: u32): void {
  if (aborting) return; // the telling itself failed
  aborting = true;
  const start = memory.data(2560);
  let to = put(start, message == 0 ? changetype<usize>("aborted") : message, 640);
  if (file != 0) {
    to = put(to, changetype<usize>(" ("), 2);
    to = put(to, file, 128);
    to = putNumber(putByte(to, 0x3a), line);
    to = putNumber(putByte(to, 0x3a), column);
    to = putByte(to, 0x29);
  }
  logBytes(3, start, <u32>(to - start));
}

/** put writes the text at an address, most units of it, as UTF-8, which takes three bytes a unit at most. */
function put(to: usize, text: usize, most: i32): usize {
  const units = min<i32>(load<i32>(text - 4) >> 1, most); // the object's size in bytes stands before it
  return to + String.UTF8.encodeUnsafe(text, units, to, false, String.UTF8.ErrorMode.REPLACE);
}

function putByte(to: usize, c: u8): usize {
  store<u8>(to, c);
  return to + 1;
}

function putNumber(to: usize, v: u32): usize {
  if (v >= 10) to = putNumber(to, v / 10);
  return putByte(to, <u8>(0x30 + (v % 10)));
}
