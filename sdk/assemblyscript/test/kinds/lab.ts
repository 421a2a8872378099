import {
  bytesOf,
  Code,
  ConcludeRequest,
  ConcludeScoreResponse,
  Input,
  ItemScore,
  Json,
  JsonKind,
  JsonReader,
  JsonWriter,
  LineScanner,
  NONE,
  Opening,
  Sample,
  Scorer,
  ScoreResponse,
  textOf,
} from "paceline";

import { Reader } from "paceline/contract/wire";
import { recode } from "./recode_gen";

export function openLab(o: Opening): Scorer | null {
  const lab = new Lab();
  if (o.inputs.length > 0) lab.input = o.inputs[0];
  return lab;
}

/** Lab does what a sample's domain says with the sample's truth, and puts what comes of it into detail and reason. */
class Lab extends Scorer {
  input: Input | null = null;

  score(samples: Sample[]): ScoreResponse | null {
    const out = new ScoreResponse();
    for (let i = 0; i < samples.length; i++) {
      const s = samples[i];
      const item = new ItemScore();
      item.trajectory = s.trajectory;
      item.turn = s.turn;
      this.run(s.domain, s.truth, item);
      out.items.push(item);
    }
    return out;
  }

  private run(what: string, given: Uint8Array, item: ItemScore): void {
    if (what == "json") this.json(given, item);
    else if (what == "lines") this.lines(given, item);
    else if (what == "read") this.read(given, item);
    else if (what == "size") item.detail = new Uint8Array(I32.parseInt(textOf(given)));
    else if (what == "garbage") garbage(I32.parseInt(textOf(given)));
    else if (what.startsWith("recode ")) this.recode(what.substring(7), given, item);
    else if (what == "text") item.reason = textOf(given);
    else if (what == "half") item.reason = "a" + String.fromCharCode(0xd800) + "b";
    else if (what == "fail") this.fail(<Code>given.length, textOf(given));
    else if (what == "index") item.reason = [1, 2, 3][given.length].toString();
    else if (what == "recurse") item.micro = recurse(given.length);
    else throw new Error(`no experiment "${what}"`);
  }

  /** recode reads a message of the contract and writes it again. */
  private recode(name: string, given: Uint8Array, item: ItemScore): void {
    const r = new Reader(given.dataStart, given.dataStart + given.length);
    const again = recode(name, r);
    if (again === null) item.reason = r.error;
    else item.detail = again;
  }

  /** json reads a document and writes it again. */
  private json(given: Uint8Array, item: ItemScore): void {
    const reader = new JsonReader(given, 50);
    const value = reader.read();
    if (value === null) {
      item.reason = `${reader.offset}: ${reader.error}`;
      return;
    }
    const w = new JsonWriter();
    write(w, value);
    item.detail = w.toBytes();
    item.reason = textOf(given.slice(value.start, value.end));
  }

  /** lines tells number, offset and text of each line; given is where to resume, or how long a line may be. */
  private lines(given: Uint8Array, item: ItemScore): void {
    const scan = new LineScanner(this.input!);
    const n = I32.parseInt(textOf(given));
    if (n < 0) scan.maxLine = -n;
    else scan.resume(n, 7);
    const all: string[] = [];
    while (scan.next()) all.push(`${scan.line}@${scan.offset}+${scan.length}=${scan.length < 20 ? scan.text() : "long"}<${scan.nextOffset}`);
    if (scan.error.length > 0) all.push(scan.error);
    item.reason = all.join("|");
  }

  /** read reads OFFSET,LENGTH of the input. */
  private read(given: Uint8Array, item: ItemScore): void {
    const at = textOf(given).split(",");
    const got = this.input!.read(U64.parseInt(at[0]), I32.parseInt(at[1]));
    if (got !== null) item.detail = got;
    item.reason = this.input!.error;
  }

  fold(account: Uint8Array, batch: Uint8Array): Uint8Array | null {
    return NONE;
  }

  conclude(run: ConcludeRequest): ConcludeScoreResponse | null {
    return new ConcludeScoreResponse();
  }
}

function garbage(n: i32): void {
  let last: Uint8Array = bytesOf("x");
  for (let i = 0; i < n; i++) last = bytesOf(`${last.length}-${i}`);
  assert(last.length > 0);
}

/** recurse has several objects a frame, so that the collector's stack is full before the machine's is. */
function recurse(n: i32): i32 {
  const a = [n];
  const b = [n];
  const c = [n];
  const d = [n];
  return n < 0 ? 0 : recurse(n + 1) + a.length + b.length + c.length + d.length;
}

function write(w: JsonWriter, v: Json): void {
  if (v.kind == JsonKind.Object || v.kind == JsonKind.Array) {
    if (v.isObject) w.object();
    else w.array();
    for (let i = 0; i < v.items.length; i++) {
      if (v.isObject) w.key(v.keys[i]);
      write(w, v.items[i]);
    }
    w.end();
  } else if (v.isString) {
    w.text(v.text);
  } else if (v.isInteger) {
    w.integer(v.integer);
  } else if (v.kind == JsonKind.Number) {
    w.bytes(bytesOf(v.text));
  } else if (v.isNull) {
    w.null();
  } else {
    w.bool(v.isTrue);
  }
}
