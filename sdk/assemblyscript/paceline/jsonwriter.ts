/** jsonText gives a text as a JSON string, in quotes. */
export function jsonText(text: string): string {
  return new JsonWriter().text(text).toString();
}

const HEX: string = "0123456789abcdef";

/**
 * JsonWriter writes a document from left to right and puts the commas in:
 *
 *     new JsonWriter().object().key("role").text("user").key("content").text(question).end().toBytes()
 */
export class JsonWriter {
  private buffer: Uint8Array = new Uint8Array(256);
  private size: i32 = 0;
  private closers: u8[] = [];
  private comma: bool = false;

  /** object begins an object, array an array; end ends the one that was begun last. */
  object(): JsonWriter {
    return this.begin(0x7b, 0x7d);
  }
  array(): JsonWriter {
    return this.begin(0x5b, 0x5d);
  }
  end(): JsonWriter {
    assert(this.closers.length > 0, "JsonWriter: end without object or array");
    this.put(this.closers.pop());
    this.comma = true;
    return this;
  }

  /** key begins a member of an object; a value must follow. */
  key(name: string): JsonWriter {
    this.text(name);
    this.put(0x3a);
    this.comma = false;
    return this;
  }

  text(v: string): JsonWriter {
    this.next();
    this.quote(v);
    return this;
  }
  integer(v: i64): JsonWriter {
    return this.raw(String.UTF8.encode(v.toString()));
  }
  bool(v: bool): JsonWriter {
    return this.raw(String.UTF8.encode(v ? "true" : "false"));
  }
  null(): JsonWriter {
    return this.raw(String.UTF8.encode("null"));
  }
  /** bytes writes a document that is JSON already, byte for byte. */
  bytes(json: Uint8Array): JsonWriter {
    this.next();
    this.append(json.dataStart, json.length);
    return this;
  }

  toBytes(): Uint8Array {
    return this.buffer.slice(0, this.size);
  }
  toString(): string {
    return String.UTF8.decodeUnsafe(this.buffer.dataStart, this.size);
  }

  private begin(opener: u8, closer: u8): JsonWriter {
    this.next();
    this.put(opener);
    this.closers.push(closer);
    this.comma = false;
    return this;
  }

  private next(): void {
    if (this.comma) this.put(0x2c);
    this.comma = true;
  }

  private raw(text: ArrayBuffer): JsonWriter {
    this.next();
    this.append(changetype<usize>(text), text.byteLength);
    return this;
  }

  private quote(v: string): void {
    this.put(0x22);
    const bytes = String.UTF8.encode(v, false, String.UTF8.ErrorMode.REPLACE);
    const at = changetype<usize>(bytes);
    const n = bytes.byteLength;
    let plain = 0; // start of what needs no escape
    for (let i = 0; i < n; i++) {
      const c = load<u8>(at + i);
      if (c >= 0x20 && c != 0x22 && c != 0x5c) continue;
      this.append(at + plain, i - plain);
      this.escape(c);
      plain = i + 1;
    }
    this.append(at + plain, n - plain);
    this.put(0x22);
  }

  private escape(c: u8): void {
    this.put(0x5c);
    switch (c) {
      case 0x0a:
        return this.put(0x6e);
      case 0x0d:
        return this.put(0x72);
      case 0x09:
        return this.put(0x74);
      case 0x22:
      case 0x5c:
        return this.put(c);
    }
    this.put(0x75);
    this.put(0x30);
    this.put(0x30);
    this.put(<u8>HEX.charCodeAt(c >> 4));
    this.put(<u8>HEX.charCodeAt(c & 15));
  }

  private put(c: u8): void {
    this.room(1);
    store<u8>(this.buffer.dataStart + this.size++, c);
  }

  private append(at: usize, n: i32): void {
    this.room(n);
    memory.copy(this.buffer.dataStart + this.size, at, n);
    this.size += n;
  }

  private room(n: i32): void {
    if (this.size + n <= this.buffer.length) return;
    const grown = new Uint8Array(max(2 * this.buffer.length, this.size + n));
    memory.copy(grown.dataStart, this.buffer.dataStart, this.size);
    this.buffer = grown;
  }
}
