// A plugin of all kinds, for the SDK's own tests.

import {
  Answer,
  bytesOf,
  Capability,
  CheckInputsResponse,
  CheckResponse,
  Code,
  Component,
  ConcludeCheckResponse,
  ConcludeRequest,
  Counter,
  End,
  Fact,
  Fault,
  Finding,
  LiveWorkload,
  log,
  NextResponse,
  Plugin,
  Sample,
  serve,
  textOf,
  TokenCount,
  Trajectory,
  Turn,
  Validator,
  WorkloadInfo,
} from "paceline";
import { openLab } from "./lab";

export * from "paceline/abi";

/** Live is a workload with one turn a letter of its state. */
class Live extends LiveWorkload {
  info(): WorkloadInfo {
    const info = new WorkloadInfo();
    info.live = true;
    return info;
  }

  plan(index: u64, repeat: u32, seed: Uint8Array): Trajectory | null {
    if (index == 9) return null;
    const t = new Trajectory();
    t.id = `${index}-${repeat}-${seed.length}`;
    t.state = bytesOf("ab");
    return t;
  }

  next(state: Uint8Array, turn: u32, answer: Answer): NextResponse | null {
    log.info(`turn ${turn}: ${answer.outcome}`);
    const out = new NextResponse();
    if (state.length == 0) {
      const end = new End();
      end.outcome = "solved";
      out.end = end;
      return out;
    }
    const t = new Turn();
    t.index = turn + 1;
    out.state = state.slice(1);
    out.turns = [t];
    return out;
  }

  checkInputs(cursor: Uint8Array, maxFaults: u32): CheckInputsResponse | null {
    const out = new CheckInputsResponse();
    if (cursor.length == 2) {
      out.done = true;
      out.items = 3;
      return out;
    }
    const odd = new Fault();
    odd.code = "odd";
    out.faults = [odd];
    out.cursor = bytesOf(textOf(cursor) + "x");
    return out;
  }
}

/** Judge tells how many samples it saw. */
class Judge extends Validator {
  check(samples: Sample[]): CheckResponse | null {
    const out = new CheckResponse();
    const f = new Finding();
    f.code = `${samples.length}-samples`;
    out.findings = [f];
    out.account = new Uint8Array(1);
    out.account[0] = <u8>samples.length;
    return out;
  }

  fold(account: Uint8Array, batch: Uint8Array): Uint8Array | null {
    const out = new Uint8Array(account.length + batch.length);
    out.set(account);
    out.set(batch, account.length);
    return out;
  }

  conclude(run: ConcludeRequest): ConcludeCheckResponse | null {
    if (run.account.length == 0) return null;
    const out = new ConcludeCheckResponse();
    out.passed = true;
    out.reason = run.account.toString();
    return out;
  }

  preflight(facts: Fact[], runConfig: Uint8Array): Finding[] | null {
    if (facts.length == 0) throw new Error("no facts");
    if (facts[0].probe == "good") return [];
    this.fail(Code.Unavailable, `fact ${facts[0].probe}: no progress`);
    return [];
  }
}

/** Half counts every other sample. */
class Half extends Counter {
  count(samples: Sample[]): TokenCount[] | null {
    const counts: TokenCount[] = [];
    for (let i = 0; i < samples.length; i++) {
      if (samples[i].outcome == "skip") continue;
      const c = new TokenCount();
      if (i % 2 == 0) c.input = i;
      else c.reason = "odd";
      counts.push(c);
    }
    return counts;
  }
}

const live = Component.workload("live", "", (o) => {
  o.prepare = bytesOf(textOf(o.prepared) + "p");
  o.losses = ["colour"];
  return new Live();
});
live.configSchema = `{"type":"object"}`;

const faulty = Component.counter("faulty", "", (o) => {
  const config = o.json();
  if (config === null) return null;
  const n = config.get("n");
  if (n === null || !n.isInteger) o.refuse("/n", "not-a-number", "n is wrong", "a whole number");
  if (o.has(Capability.Network)) o.fail(Code.PermissionDenied, "too much was granted");
  return o.faults.length > 0 ? null : new Half();
});

serve(
  new Plugin("kinds", "1.2.3")
    .add(live)
    .add(Component.validator("judge", "", (o) => new Judge()))
    .add(Component.counter("count", "", (o) => new Half()))
    .add(Component.validator("broken", "", (o) => null))
    .add(faulty)
    .add(Component.scorer("lab", "", openLab)),
);
