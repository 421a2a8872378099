import { Json, JsonKind } from "./json";
import { putRune, runeAt, runeSize } from "./text";

/**
 * JsonReader reads one document. It does not recurse, however deep a document is, and refuses one that is deeper than maxDepth.
 * Bytes of a string that are not valid UTF-8 become U+FFFD.
 */
export class JsonReader {
  /** What is wrong with the document; empty: nothing. */
  error: string = "";
  /** Where in the document reading stands: after a fault, where it is. */
  offset: i32 = 0;

  private base: usize;
  private size: i32;

  constructor(private source: Uint8Array, private maxDepth: i32 = 256) {
    this.base = source.dataStart;
    this.size = source.length;
  }

  /** read reads the document; null where error says what is wrong with it. */
  read(): Json | null {
    const root = this.value();
    if (root === null) return null;
    const open: Json[] = [];
    if (this.opens(root)) open.push(root);
    while (open.length > 0) {
      const top = open[open.length - 1];
      if (this.closes(top)) {
        open.pop();
        continue;
      }
      if (this.error.length > 0) return null;
      const v = this.value();
      if (v === null) return null;
      top.items.push(v);
      if (!this.opens(v)) continue;
      if (open.length >= this.maxDepth) return this.fail(`nested more than ${this.maxDepth} deep`);
      open.push(v);
    }
    this.space();
    return this.offset < this.size ? this.fail("more than one value") : root;
  }

  private opens(v: Json): bool {
    return v.kind == JsonKind.Array || v.kind == JsonKind.Object;
  }

  /** closes goes to the container's next value, or behind its end; then it reports true. */
  private closes(top: Json): bool {
    this.space();
    const c = this.peek();
    if (c == (top.isObject ? 0x7d : 0x5d)) {
      top.end = ++this.offset;
      return true;
    }
    if (top.items.length > 0) {
      if (c != 0x2c) {
        this.fail(top.isObject ? "expected , or }" : "expected , or ]");
        return false;
      }
      this.offset++;
      this.space();
    }
    if (!top.isObject) return false;
    if (this.peek() != 0x22) {
      this.fail("expected a name in quotes");
      return false;
    }
    top.keys.push(this.quoted());
    this.space();
    if (this.peek() == 0x3a) this.offset++;
    else this.fail("expected :");
    return false;
  }

  /** value reads a scalar, or the bracket that opens a container. */
  private value(): Json | null {
    this.space();
    const c = this.peek();
    const v = new Json(JsonKind.Null, this.offset);
    if (c == 0x7b || c == 0x5b) {
      v.kind = c == 0x7b ? JsonKind.Object : JsonKind.Array;
      v.items = [];
      if (v.isObject) v.keys = [];
      this.offset++;
    } else if (c == 0x22) {
      v.kind = JsonKind.String;
      v.text = this.quoted();
    } else if (c == 0x2d || (c >= 0x30 && c <= 0x39)) {
      v.kind = JsonKind.Number;
      v.text = this.digits();
    } else if (c == 0x6e) {
      this.word("null");
    } else {
      v.kind = JsonKind.Bool;
      v.text = c == 0x74 ? this.word("true") : this.word("false");
    }
    v.end = this.offset;
    return this.error.length > 0 ? null : v;
  }

  private fail(fault: string): Json | null {
    if (this.error.length == 0) this.error = fault;
    return null;
  }

  // @ts-ignore: decorator
  @inline
  private byteAt(i: i32): i32 {
    return i < this.size ? <i32>load<u8>(this.base + i) : -1;
  }

  private peek(): i32 {
    return this.byteAt(this.offset);
  }

  private space(): void {
    let c = this.peek();
    while (c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09) {
      this.offset++;
      c = this.peek();
    }
  }

  private word(w: string): string {
    for (let i = 0, n = w.length; i < n; i++) {
      if (this.byteAt(this.offset + i) != w.charCodeAt(i)) {
        this.fail(this.offset < this.size ? "expected a value" : "the document is cut off");
        return "";
      }
    }
    this.offset += w.length;
    return w;
  }

  private digits(): string {
    const start = this.offset;
    if (this.peek() == 0x2d) this.offset++;
    const leading = this.offset;
    let good = this.run();
    if (good && this.byteAt(leading) == 0x30 && this.offset > leading + 1) good = false;
    if (good && this.peek() == 0x2e) {
      this.offset++;
      good = this.run();
    }
    if (good && (this.peek() | 0x20) == 0x65) {
      this.offset++;
      if (this.peek() == 0x2b || this.peek() == 0x2d) this.offset++;
      good = this.run();
    }
    if (!good) {
      this.fail("not a number");
      return "";
    }
    return String.UTF8.decodeUnsafe(this.base + start, this.offset - start);
  }

  /** run goes behind decimal digits and reports whether there are any. */
  private run(): bool {
    const start = this.offset;
    while (this.peek() >= 0x30 && this.peek() <= 0x39) this.offset++;
    return this.offset > start;
  }

  /** quoted reads a string in quotes. */
  private quoted(): string {
    const start = ++this.offset;
    let end = start;
    for (let c = this.byteAt(end); c != 0x22; c = this.byteAt(end)) {
      if (c < 0x20) {
        this.offset = end;
        this.fail(c < 0 ? "a string without its end" : "a control character in a string");
        return "";
      }
      end += c == 0x5c ? 2 : 1;
    }
    // No escape and no character has more units than bytes.
    const text = changetype<string>(__new(<usize>(end - start) << 1, idof<string>()));
    const first = changetype<usize>(text);
    let to = first;
    let at = start;
    while (at < end) {
      const c = load<u8>(this.base + at);
      if (c < 0x80 && c != 0x5c) {
        store<u16>(to, c);
        to += 2;
        at++;
        continue;
      }
      if (c == 0x5c) {
        const unit = this.escape(at);
        if (unit < 0) {
          this.offset = at;
          this.fail("unknown escape in a string");
          return "";
        }
        at += this.byteAt(at + 1) == 0x75 ? 6 : 2;
        store<u16>(to, <u16>unit);
        to += 2;
        continue;
      }
      const n = runeSize(this.base + at, this.base + end);
      to = putRune(to, n == 0 ? 0xfffd : runeAt(this.base + at, n));
      at += n == 0 ? 1 : n;
    }
    this.offset = end + 1;
    return wellFormed(changetype<string>(__renew(first, to - first)));
  }

  /** escape is the unit that the escape at that place stands for; -1: it is none. */
  private escape(at: i32): i32 {
    switch (this.byteAt(at + 1)) {
      case 0x22:
        return 0x22;
      case 0x5c:
        return 0x5c;
      case 0x2f:
        return 0x2f;
      case 0x62:
        return 0x08;
      case 0x66:
        return 0x0c;
      case 0x6e:
        return 0x0a;
      case 0x72:
        return 0x0d;
      case 0x74:
        return 0x09;
      case 0x75: {
        let unit = 0;
        for (let i = 2; i < 6; i++) {
          const d = hexDigit(this.byteAt(at + i));
          if (d < 0) return -1;
          unit = (unit << 4) | d;
        }
        return unit;
      }
    }
    return -1;
  }
}

function hexDigit(c: i32): i32 {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  const low = c | 0x20;
  return low >= 0x61 && low <= 0x66 ? low - 0x57 : -1;
}

/** wellFormed puts U+FFFD in place of halves of surrogate pairs, in the text itself. */
function wellFormed(text: string): string {
  const at = changetype<usize>(text);
  for (let i = 0, n = text.length; i < n; i++) {
    const c = load<u16>(at + ((<usize>i) << 1));
    if ((c & 0xf800) != 0xd800) continue;
    const next = i + 1 < n ? load<u16>(at + ((<usize>i) << 1), 2) : 0;
    if (c < 0xdc00 && (next & 0xfc00) == 0xdc00) i++;
    else store<u16>(at + ((<usize>i) << 1), 0xfffd);
  }
  return text;
}
