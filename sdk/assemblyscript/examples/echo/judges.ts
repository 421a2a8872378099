import {
  CheckResponse,
  Code,
  ConcludeCheckResponse,
  ConcludeRequest,
  ConcludeScoreResponse,
  Finding,
  ItemScore,
  Json,
  JsonReader,
  Role,
  Sample,
  Scorer,
  ScoreResponse,
  Severity,
  Validator,
  Value,
} from "paceline";

/** Tally is the account of both judges: two counters of 8 bytes, big-endian. */
class Tally {
  all: u64 = 0;
  good: u64 = 0;

  /** read reads an account; where it is none, that is the role's failure, and null. */
  static read(account: Uint8Array, role: Role): Tally | null {
    const t = new Tally();
    if (account.length == 0) return t;
    if (account.length != 16) {
      role.fail(Code.InvalidArgument, `an account has 16 bytes, not ${account.length}`);
      return null;
    }
    t.all = bswap(load<u64>(account.dataStart));
    t.good = bswap(load<u64>(account.dataStart, 8));
    return t;
  }

  bytes(): Uint8Array {
    const out = new Uint8Array(16);
    store<u64>(out.dataStart, bswap(this.all));
    store<u64>(out.dataStart, bswap(this.good), 8);
    return out;
  }
}

function join(account: Uint8Array, batch: Uint8Array, role: Role): Uint8Array | null {
  const a = Tally.read(account, role);
  const b = Tally.read(batch, role);
  if (a === null || b === null) return null;
  a.all += b.all;
  a.good += b.good;
  return a.bytes();
}

/** Answered wants an answer to every turn. */
export class Answered extends Validator {
  check(samples: Sample[]): CheckResponse | null {
    const out = new CheckResponse();
    const sum = new Tally();
    sum.all = samples.length;
    for (let i = 0; i < samples.length; i++) {
      const s = samples[i];
      if (s.outcome == "ok") {
        sum.good++;
        continue;
      }
      const f = new Finding();
      f.severity = Severity.Error;
      f.code = "no-answer";
      f.message = s.outcome;
      f.trajectory = s.trajectory;
      f.repeat = s.repeat;
      f.turn = s.turn;
      out.findings.push(f);
    }
    out.account = sum.bytes();
    return out;
  }

  fold(account: Uint8Array, batch: Uint8Array): Uint8Array | null {
    return join(account, batch, this);
  }

  conclude(run: ConcludeRequest): ConcludeCheckResponse | null {
    const sum = Tally.read(run.account, this);
    if (sum === null) return null;
    const verdict = new ConcludeCheckResponse();
    verdict.passed = sum.all > 0 && sum.all == sum.good;
    if (!verdict.passed) verdict.reason = "turns without an answer";
    return verdict;
  }
}

/** Exact counts the exact repetitions. */
export class Exact extends Scorer {
  score(samples: Sample[]): ScoreResponse | null {
    const out = new ScoreResponse();
    const sum = new Tally();
    for (let i = 0; i < samples.length; i++) {
      const s = samples[i];
      const item = new ItemScore();
      item.trajectory = s.trajectory;
      item.repeat = s.repeat;
      item.turn = s.turn;
      const answer = s.answer;
      const said: Json | null = answer === null ? null : read(answer.message);
      const truth = read(s.truth);
      if (said === null || !isMessage(said)) {
        item.reason = "no answer";
      } else if (truth === null || !(truth.isString || truth.isNull)) {
        item.reason = "no truth";
      } else {
        item.scored = true;
        sum.all++;
        if (said.string("content") == truth.text) {
          item.micro = 1_000_000;
          sum.good++;
        }
      }
      out.items.push(item);
    }
    out.account = sum.bytes();
    return out;
  }

  fold(account: Uint8Array, batch: Uint8Array): Uint8Array | null {
    return join(account, batch, this);
  }

  conclude(run: ConcludeRequest): ConcludeScoreResponse | null {
    const sum = Tally.read(run.account, this);
    if (sum === null) return null;
    const value = new Value();
    value.name = "exact";
    value.unit = "share";
    const out = new ConcludeScoreResponse();
    out.score = value;
    out.higherIsBetter = true;
    out.complete = sum.all > 0;
    out.passed = sum.all > 0;
    out.scored = sum.all;
    if (sum.all > 0) value.micro = (sum.good * 1_000_000) / sum.all;
    return out;
  }
}

function read(json: Uint8Array): Json | null {
  return new JsonReader(json, 10000).read();
}

/** isMessage reports whether a document may be a chat message: role and content, where they are there, are texts or null. */
function isMessage(v: Json): bool {
  return v.isNull || (v.isObject && isText(v.get("role")) && isText(v.get("content")));
}

function isText(v: Json | null): bool {
  return v === null || v.isString || v.isNull;
}
