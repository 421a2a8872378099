import { Input } from "./opening";
import { decodeText } from "./text";

const BUFFER: i32 = 256 << 10;

/**
 * LineScanner walks the lines of an input and knows number and offset of each, so that a plugin can index a data set once and
 * later read single lines in place. Lines end with LF or CRLF, the last one with the input too; neither end belongs to the
 * line. A byte order mark at the start is skipped, and so are lines of spaces and tabs alone, which still count.
 */
export class LineScanner {
  /** A longer line is an error. In bytes. */
  maxLine: i32 = 64 << 20;
  /** Number of the line that next found; the first line of the input is 1. */
  line: u64 = 0;
  /** Where in the input that line's first byte is, and how many bytes it has. */
  offset: u64 = 0;
  length: i32 = 0;
  /** What ended the scan; empty at the end of the input. */
  error: string = "";

  private buffer: Uint8Array = new Uint8Array(BUFFER);
  private base: u64 = 0; // offset in the input of the buffer's first byte
  private from: i32 = 0; // start of what is not yet consumed, in the buffer
  private to: i32 = 0; // end of what was read, in the buffer
  private start: i32 = 0; // of the line, in the buffer

  constructor(private input: Input) {}

  /** Where in the input the line after this one starts. */
  get nextOffset(): u64 {
    return this.base + <u64>this.from;
  }

  /** resume moves to an offset at which a line starts, as nextOffset gave it; line is the number of the line before it. */
  resume(offset: u64, line: u64): void {
    this.from = this.to = this.start = this.length = 0;
    this.base = offset;
    this.line = line;
    this.error = "";
  }

  /** next goes to the next line that is not blank and reports whether there is one. */
  next(): bool {
    while (this.take()) {
      if (this.offset == 0) this.skipMark();
      if (!this.blank()) return true;
    }
    this.length = 0;
    return false;
  }

  /** bytes is a copy of the line. */
  bytes(): Uint8Array {
    return this.buffer.slice(this.start, this.start + this.length);
  }

  /** text is the line as text; bytes that are not valid UTF-8 become U+FFFD. */
  text(): string {
    return decodeText(this.buffer.dataStart + this.start, this.length);
  }

  /** take goes to the next line, blank or not. */
  private take(): bool {
    if (this.error.length > 0) return false;
    let searched = 0;
    while (true) {
      const at = indexOfLF(this.buffer.dataStart, this.from + searched, this.to);
      if (at >= 0) return this.found(at - this.from, 1);
      searched = this.to - this.from;
      if (searched > this.maxLine) return this.fail("line too long");
      if (this.base + <u64>this.to >= this.input.size) return searched > 0 && this.found(searched, 0);
      if (!this.fill()) return false;
    }
  }

  private found(length: i32, end: i32): bool {
    const at = this.buffer.dataStart + this.from;
    const text = length > 0 && load<u8>(at + length - 1) == 0x0d ? length - 1 : length;
    if (text > this.maxLine) return this.fail("line too long");
    this.line++;
    this.offset = this.base + <u64>this.from;
    this.start = this.from;
    this.length = text;
    this.from += length + end;
    return true;
  }

  private fail(fault: string): bool {
    this.error = `line ${this.line + 1}: ${fault}`;
    return false;
  }

  /** fill reads on behind what is in the buffer, after it made room there. */
  private fill(): bool {
    if (this.from > 0) {
      this.buffer.copyWithin(0, this.from, this.to);
      this.base += <u64>this.from;
      this.to -= this.from;
      this.from = 0;
    }
    if (this.to == this.buffer.length) {
      const grown = new Uint8Array(2 * this.buffer.length);
      grown.set(this.buffer);
      this.buffer = grown;
    }
    const end = this.base + <u64>this.to;
    const room = <u32>min<u64>(<u64>(this.buffer.length - this.to), this.input.size - end);
    const got = this.input.readTo(this.buffer.dataStart + this.to, room, end);
    this.to += got;
    if (<u32>got == room) return true;
    return this.fail(this.input.error.length > 0 ? this.input.error : "the input is shorter than it was said to be");
  }

  private skipMark(): void {
    const at = this.buffer.dataStart + this.start;
    if (this.length < 3 || load<u8>(at) != 0xef || load<u8>(at, 1) != 0xbb || load<u8>(at, 2) != 0xbf) return;
    this.start += 3;
    this.offset += 3;
    this.length -= 3;
  }

  private blank(): bool {
    const at = this.buffer.dataStart + this.start;
    for (let i = 0; i < this.length; i++) {
      const c = load<u8>(at + i);
      if (c != 0x20 && c != 0x09 && c != 0x0d) return false;
    }
    return true;
  }
}

/** indexOfLF is the place of the first LF between from and to, -1 where there is none. It looks at eight bytes at a time. */
function indexOfLF(base: usize, from: i32, to: i32): i32 {
  const ones: u64 = 0x0101010101010101;
  let i = from;
  for (; i + 8 <= to; i += 8) {
    const v = load<u64>(base + i) ^ (0x0a * ones);
    const hit = (v - ones) & ~v & (0x80 * ones);
    if (hit != 0) return i + (<i32>ctz(hit) >> 3);
  }
  for (; i < to; i++) {
    if (load<u8>(base + i) == 0x0a) return i;
  }
  return -1;
}
