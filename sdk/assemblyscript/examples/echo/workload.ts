import {
  bytesOf,
  Code,
  Input,
  jsonText,
  JsonWriter,
  LineScanner,
  log,
  Message,
  Opening,
  textOf,
  Trajectory,
  Turn,
  Workload,
  WorkloadInfo,
} from "paceline";

/** Repeat holds where each line is; lines are read when they are planned. */
export class Repeat extends Workload {
  private offsets: u64[] = [];
  private lengths: i32[] = [];

  constructor(private text: Input) {
    super();
  }

  static open(o: Opening): Workload | null {
    const text = o.input("text");
    if (text === null) return null;
    const w = new Repeat(text);
    const scan = new LineScanner(text);
    while (scan.next()) {
      w.offsets.push(scan.offset);
      w.lengths.push(scan.length);
    }
    if (scan.error.length > 0) {
      o.fail(Code.Unknown, scan.error);
      return null;
    }
    if (w.offsets.length == 0) o.refuseInput("text", 0, "empty", "no line in it", "at least one line");
    else log.info(`${w.offsets.length} lines`);
    return w;
  }

  info(): WorkloadInfo {
    const info = new WorkloadInfo();
    info.trajectories = this.offsets.length;
    info.fixed = true;
    info.provenance = "recorded";
    return info;
  }

  plan(index: u64, repeat: u32, seed: Uint8Array): Trajectory | null {
    if (index >= <u64>this.offsets.length) {
      this.fail(Code.OutOfRange, `no line ${index}: there are ${this.offsets.length}`);
      return null;
    }
    const line = this.text.read(this.offsets[<i32>index], this.lengths[<i32>index]);
    if (line === null) {
      this.fail(Code.Unknown, this.text.error);
      return null;
    }
    const text = textOf(line);
    const ask = new Message();
    ask.json = new JsonWriter().object().key("role").text("user").key("content").text("Repeat exactly: " + text).end().toBytes();
    const turn = new Turn();
    turn.append = [ask];
    turn.final = true;
    turn.maxTokens = 256;
    turn.truth = bytesOf(jsonText(text));
    const t = new Trajectory();
    t.id = "line-" + (<u32>index).toString(16).padStart(8, "0");
    t.turns = [turn];
    return t;
  }
}
