/** JsonKind is what a JSON value is. */
export enum JsonKind {
  Null,
  Bool,
  Number,
  String,
  Array,
  Object,
}

// Scalars share these: most values of a document are scalars.
const NO_ITEMS: Json[] = [];
const NO_KEYS: string[] = [];

/** Json is one value of a document that was read. It is not changed. */
export class Json {
  /** Of a string: its text. Of a number: as it is written. Of a bool: true or false. */
  text: string = "";
  /** Of an array: its values; of an object: the values of its members. */
  items: Json[] = NO_ITEMS;
  /** Of an object: the names of its members, in the order of items. */
  keys: string[] = NO_KEYS;
  /** Where in the document the value ends; with start, the bytes that it was read from. */
  end: i32 = 0;

  constructor(public kind: JsonKind, public start: i32) {}

  get isObject(): bool {
    return this.kind == JsonKind.Object;
  }
  get isArray(): bool {
    return this.kind == JsonKind.Array;
  }
  get isString(): bool {
    return this.kind == JsonKind.String;
  }
  get isNull(): bool {
    return this.kind == JsonKind.Null;
  }
  get isTrue(): bool {
    return this.kind == JsonKind.Bool && this.text == "true";
  }

  /** Whether it is a whole number of 64 bits, written without fraction and exponent. */
  get isInteger(): bool {
    if (this.kind != JsonKind.Number) return false;
    const negative = this.text.startsWith("-");
    const digits = negative ? this.text.substring(1) : this.text;
    for (let i = 0, n = digits.length; i < n; i++) {
      const c = digits.charCodeAt(i);
      if (c < 0x30 || c > 0x39) return false;
    }
    const most = negative ? "9223372036854775808" : "9223372036854775807";
    return digits.length < most.length || (digits.length == most.length && digits <= most);
  }

  /** integer is the number where isInteger says so, 0 otherwise. */
  get integer(): i64 {
    return this.isInteger ? I64.parseInt(this.text) : 0;
  }

  /** number is the number as a float, NaN where it is none. Scores are integers: keep floats out of answers. */
  get number(): f64 {
    return this.kind == JsonKind.Number ? F64.parseFloat(this.text) : NaN;
  }

  /** get is an object's member, the last one of that name; null where there is none. */
  get(key: string): Json | null {
    for (let i = this.keys.length - 1; i >= 0; i--) {
      if (this.keys[i] == key) return this.items[i];
    }
    return null;
  }

  /** string is the text of a member that is a string, and otherwise a text of the caller's. */
  string(key: string, otherwise: string = ""): string {
    const v = this.get(key);
    return v !== null && v.kind == JsonKind.String ? v.text : otherwise;
  }
}
