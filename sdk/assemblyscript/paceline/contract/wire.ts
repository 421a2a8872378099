// Reading and writing the protobuf encoding at raw addresses. A Reader never looks outside of the block that it was given,
// skips what it does not know, and stops at the first fault, which it keeps in words. A Writer writes into a block whose size
// the size functions gave.

import { decodeText, validText } from "../text";

/** NONE is the value of a bytes field that was not set: it has no byte, so nobody can change it. */
export const NONE: Uint8Array = new Uint8Array(0);

/** The deepest nesting of groups, which the contract does not have but an encoding may. */
const MAX_GROUPS: i32 = 100;

const MAX_FIELD: u64 = (1 << 29) - 1;

/** Reader takes the fields of one message after the other. */
export class Reader {
  /** What is wrong with the encoding; empty: nothing. */
  error: string = "";
  /** Number of the field that next found. */
  field: u32 = 0;
  /** Whether it is a number, which value holds, or a blob; neither of them where it was skipped. */
  isNumber: bool = false;
  isBlob: bool = false;
  value: u64 = 0;
  private blob: usize = 0;
  private blobEnd: usize = 0;

  constructor(private at: usize, private end: usize) {}

  /** next goes to the next field and reports whether there is one. */
  next(): bool {
    if (this.at >= this.end) return false;
    this.field = 0;
    const tag = this.varint();
    if (this.error.length > 0) return false;
    if (tag >> 3 == 0 || tag >> 3 > MAX_FIELD) return this.fail("field number out of range");
    this.field = <u32>(tag >> 3);
    const wire = <i32>(tag & 7);
    this.isNumber = wire == 0;
    this.isBlob = wire == 2;
    if (wire == 3) this.skipGroup();
    else this.skip(wire);
    return this.error.length == 0;
  }

  /** bytes is a copy of the blob. */
  bytes(): Uint8Array {
    const size = <i32>(this.blobEnd - this.blob);
    if (size == 0) return NONE;
    const copy = new Uint8Array(size);
    memory.copy(copy.dataStart, this.blob, size);
    return copy;
  }

  /** text is the blob as text; it is a fault where it is not valid UTF-8. */
  text(): string {
    const size = this.blobEnd - this.blob;
    if (validText(this.blob, size)) return decodeText(this.blob, size);
    this.fail("string is not valid UTF-8");
    return "";
  }

  /** numbers appends a number, or a packed list of them. */
  numbers<T>(list: Array<T>): void {
    if (this.isNumber) list.push(<T>this.value);
    if (!this.isBlob) return;
    const end = this.enter();
    while (this.at < this.end) {
      const v = this.varint();
      if (this.error.length == 0) list.push(<T>v);
    }
    this.at = this.error.length > 0 ? end : this.end;
    this.end = end;
  }

  /** enter goes into the blob, which is a message; leave wants what it returns. */
  enter(): usize {
    const end = this.end;
    this.at = this.blob;
    this.end = this.blobEnd;
    return end;
  }

  /** leave goes on behind the message that is that field, and says where a fault in it is. */
  leave(end: usize, field: u32, name: string): void {
    if (this.error.length > 0) {
      this.error = `field ${field}: decode ${name}: ${this.error}`;
      this.at = end;
    } else {
      this.at = this.end;
    }
    this.end = end;
  }

  private fail(fault: string): bool {
    if (this.error.length == 0) this.error = this.field > 0 ? `field ${this.field}: ${fault}` : fault;
    this.at = this.end;
    return false;
  }

  private varint(): u64 {
    let v: u64 = 0;
    let at = this.at;
    for (let shift: u64 = 0; shift < 70; shift += 7) {
      if (at >= this.end) {
        this.fail("truncated");
        return 0;
      }
      const c = load<u8>(at++);
      if (shift == 63 && c > 1) break;
      v |= <u64>(c & 0x7f) << shift;
      if (c < 0x80) {
        this.at = at;
        return v;
      }
    }
    this.fail("varint above 64 bits");
    return 0;
  }

  /** skip goes behind a value of that wire type and notes where it is. */
  private skip(wire: i32): void {
    let size: u64 = 0;
    switch (wire) {
      case 0:
        this.value = this.varint();
        return;
      case 1:
        size = 8;
        break;
      case 2:
        size = this.varint();
        break;
      case 5:
        size = 4;
        break;
      case 4:
        this.fail("group without its end");
        return;
      default:
        this.fail("unknown wire type");
        return;
    }
    if (this.error.length > 0) return;
    if (size > <u64>(this.end - this.at)) {
      this.fail("truncated");
      return;
    }
    this.blob = this.at;
    this.at += <usize>size;
    this.blobEnd = this.at;
  }

  /** skipGroup goes behind a group of the old encoding with all that it holds. */
  private skipGroup(): void {
    const open: u32[] = [this.field];
    while (open.length > 0) {
      const tag = this.varint();
      if (this.error.length > 0) return;
      const num = tag >> 3;
      if (num == 0 || num > MAX_FIELD) {
        this.fail("field number out of range");
        return;
      }
      const wire = <i32>(tag & 7);
      if (wire == 3) {
        if (open.length == MAX_GROUPS) {
          this.fail("groups nested too deeply");
          return;
        }
        open.push(<u32>num);
      } else if (wire == 4) {
        if (open.pop() != <u32>num) {
          this.fail("group without its end");
          return;
        }
      } else {
        this.skip(wire);
        if (this.error.length > 0) return;
      }
    }
  }
}

/** Writer writes fields one behind the other. */
export class Writer {
  constructor(public at: usize) {}

  number(tag: u32, v: u64): void {
    this.varint(tag);
    this.varint(v);
  }

  /** head begins a field of that many bytes. */
  head(tag: u32, size: u64): void {
    this.varint(tag);
    this.varint(size);
  }

  text(tag: u32, s: string): void {
    this.head(tag, <u64>String.UTF8.byteLength(s));
    this.at += String.UTF8.encodeUnsafe(changetype<usize>(s), s.length, this.at, false, String.UTF8.ErrorMode.REPLACE);
  }

  bytes(tag: u32, b: Uint8Array): void {
    this.head(tag, <u64>b.length);
    memory.copy(this.at, b.dataStart, b.length);
    this.at += b.length;
  }

  numbers<T>(tag: u32, list: Array<T>): void {
    this.head(tag, sizeNumbers(list));
    for (let i = 0, n = list.length; i < n; i++) this.varint(<u64>(<i64>list[i]));
  }

  private varint(v: u64): void {
    while (v >= 0x80) {
      store<u8>(this.at++, <u8>(v | 0x80));
      v >>= 7;
    }
    store<u8>(this.at++, <u8>v);
  }
}

export function sizeVarint(v: u64): u64 {
  let n: u64 = 1;
  for (; v >= 0x80; v >>= 7) n++;
  return n;
}

/** sizeBlob is the size of that many bytes with their length before them. */
export function sizeBlob(n: u64): u64 {
  return sizeVarint(n) + n;
}

export function sizeText(s: string): u64 {
  return sizeBlob(<u64>String.UTF8.byteLength(s));
}

/** sizeNumbers is the size of a packed list without its length. */
export function sizeNumbers<T>(list: Array<T>): u64 {
  let n: u64 = 0;
  for (let i = 0, k = list.length; i < k; i++) n += sizeVarint(<u64>(<i64>list[i]));
  return n;
}

/** zigzag maps signed to unsigned integers so that those near zero are short. */
export function zigzag(v: i64): u64 {
  return (<u64>v << 1) ^ <u64>(v >> 63);
}

export function unzigzag(v: u64): i64 {
  return <i64>(v >> 1) ^ -<i64>(v & 1);
}
