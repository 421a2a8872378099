// What a component can be: its author extends one of these classes. A method that has no result calls fail and returns null;
// the host then gets a status, and the instance goes on. What was not foreseen throws, which traps: the host discards the
// instance and takes a fresh one.

import {
  Answer,
  CheckInputsResponse,
  CheckResponse,
  ConcludeCheckResponse,
  ConcludeRequest,
  ConcludeScoreResponse,
  Fact,
  Finding,
  Method,
  NextResponse,
  Sample,
  ScoreResponse,
  TokenCount,
  Trajectory,
  WorkloadInfo,
} from "./contract/types_gen";
import { Code, Failure, notOffered } from "./status";

/** Role is what all kinds of components have. */
export abstract class Role {
  private failure: Failure | null = null;

  /** fail says why the method that is running has no result. Return null, or anything, after it. */
  fail(code: Code, text: string): void {
    this.failure = new Failure(code, text);
  }

  /** takeFailure returns and forgets what fail left. */
  takeFailure(): Failure | null {
    const failure = this.failure;
    this.failure = null;
    return failure;
  }

  /**
   * checkInputs validates the inputs before a run sends anything, in steps of about a second: it goes on at the cursor, which
   * is empty at first and opaque to the host, and reports at most maxFaults faults, until it says done. Without it there is
   * nothing to check.
   */
  checkInputs(cursor: Uint8Array, maxFaults: u32): CheckInputsResponse | null {
    this.fail(Code.Unimplemented, notOffered(Method.CheckInputs));
    return null;
  }
}

/** Workload makes trajectories. */
export abstract class Workload extends Role {
  /** info tells how many trajectories there are and what they share. */
  abstract info(): WorkloadInfo;

  /** plan makes one trajectory: the same for the same arguments, in any instance on any machine. index counts from 0. */
  abstract plan(index: u64, repeat: u32, seed: Uint8Array): Trajectory | null;
}

/** LiveWorkload is a workload whose turns depend on the answers. */
export abstract class LiveWorkload extends Workload {
  /**
   * next folds a conversation: from the state that plan or the last next gave and the answer of one turn to the next state and
   * the turns that follow, or the end. It keeps nothing itself.
   */
  abstract next(state: Uint8Array, turn: u32, answer: Answer): NextResponse | null;
}

/** Judge is what validators and scorers share. */
export abstract class Judge extends Role {
  /** fold joins the accounts of batches, in their order; the first account is empty. */
  abstract fold(account: Uint8Array, batch: Uint8Array): Uint8Array | null;
}

/** Validator says whether what was measured may count. */
export abstract class Validator extends Judge {
  /**
   * check judges one batch of samples, ordered by trajectory, repeat and turn. A batch holds whole units. The account is what
   * fold and conclude need of the batch, at most 1 MiB.
   */
  abstract check(samples: Sample[]): CheckResponse | null;

  /** conclude gives the verdict over the account of all batches. */
  abstract conclude(run: ConcludeRequest): ConcludeCheckResponse | null;

  /** preflight judges facts about the target before there is any load. A finding of severity Error stops the run. */
  preflight(facts: Fact[], runConfig: Uint8Array): Finding[] | null {
    this.fail(Code.Unimplemented, notOffered(Method.Preflight));
    return null;
  }
}

/** Scorer says how good the answers were. */
export abstract class Scorer extends Judge {
  /** score scores one batch, as Validator.check judges one. */
  abstract score(samples: Sample[]): ScoreResponse | null;

  /** conclude gives the score over the account of all batches. */
  abstract conclude(run: ConcludeRequest): ConcludeScoreResponse | null;
}

/** Counter counts tokens by a model's own tokenizer, after the run. */
export abstract class Counter extends Role {
  /** count returns one count for each sample, in order. */
  abstract count(samples: Sample[]): TokenCount[] | null;
}
