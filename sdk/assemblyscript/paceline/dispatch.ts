// Each method: read the request, ask the component, write the reply.

import {
  readCheckRequest,
  readConcludeRequest,
  readCountRequest,
  readFoldRequest,
  readNextRequest,
  readPlanRequest,
  readPreflightRequest,
  readScoreRequest,
  sizeCheckResponse,
  sizeConcludeCheckResponse,
  sizeConcludeScoreResponse,
  sizeCountResponse,
  sizeFoldResponse,
  sizeNextResponse,
  sizePlanResponse,
  sizePreflightResponse,
  sizeScoreResponse,
  writeCheckResponse,
  writeConcludeCheckResponse,
  writeConcludeScoreResponse,
  writeCountResponse,
  writeFoldResponse,
  writeNextResponse,
  writePlanResponse,
  writePreflightResponse,
  writeScoreResponse,
} from "./contract/codec_gen";
import {
  Answer,
  CheckRequest,
  ConcludeRequest,
  CountRequest,
  CountResponse,
  FoldRequest,
  FoldResponse,
  Method,
  NextRequest,
  PlanRequest,
  PlanResponse,
  PreflightRequest,
  PreflightResponse,
  Sample,
  ScoreRequest,
} from "./contract/types_gen";
import { Reader } from "./contract/wire";
import { begin, empty, failed, malformed, status, tooLong } from "./reply";
import { Counter, Judge, LiveWorkload, Scorer, Validator, Workload } from "./roles";
import { Code, notOffered } from "./status";

/**
 * Batch gathers a batch that comes in several requests: as long as the last sample says that its unit goes on, samples are
 * held and the reply is empty. The component sees the whole batch at once.
 */
export class Batch {
  private held: Sample[] = [];

  /** join is the whole batch; null where it goes on. */
  join(samples: Sample[]): Sample[] | null {
    const goesOn = samples.length > 0 && samples[samples.length - 1].more;
    if (this.held.length == 0 && !goesOn) return samples;
    for (let i = 0, n = samples.length; i < n; i++) this.held.push(samples[i]);
    if (goesOn) return null;
    const whole = this.held;
    this.held = [];
    return whole;
  }
}

function unimplemented(method: i32): u64 {
  return status(Code.Unimplemented, notOffered(method));
}

export function workload(c: Workload, method: i32, r: Reader): u64 {
  if (method == Method.Plan) return plan(c, r);
  if (method == Method.Next && c instanceof LiveWorkload) return next(c as LiveWorkload, r);
  return unimplemented(method);
}

function plan(c: Workload, r: Reader): u64 {
  const q = new PlanRequest();
  readPlanRequest(r, q);
  if (r.error.length > 0) return malformed("PlanRequest", r);
  const out = new PlanResponse();
  out.trajectory = c.plan(q.index, q.repeat, q.seed);
  const failure = c.takeFailure();
  if (failure !== null || out.trajectory === null) return failed(failure, `plan ${q.index}`);
  const w = begin(sizePlanResponse(out));
  if (w === null) return tooLong();
  writePlanResponse(w, out);
  return w.done();
}

function next(c: LiveWorkload, r: Reader): u64 {
  const q = new NextRequest();
  readNextRequest(r, q);
  if (r.error.length > 0) return malformed("NextRequest", r);
  const given = q.answer;
  const out = c.next(q.state, q.turn, given === null ? new Answer() : given);
  const failure = c.takeFailure();
  if (failure !== null || out === null) return failed(failure, "next");
  const w = begin(sizeNextResponse(out));
  if (w === null) return tooLong();
  writeNextResponse(w, out);
  return w.done();
}

export function judge(c: Judge, method: i32, r: Reader, batch: Batch): u64 {
  if (c instanceof Validator) {
    const v = c as Validator;
    if (method == Method.Preflight) return preflight(v, r);
    if (method == Method.Check) return check(v, r, batch);
    if (method == Method.FoldCheck) return fold(c, r);
    if (method == Method.ConcludeCheck) return concludeCheck(v, r);
  } else if (c instanceof Scorer) {
    const s = c as Scorer;
    if (method == Method.Score) return score(s, r, batch);
    if (method == Method.FoldScore) return fold(c, r);
    if (method == Method.ConcludeScore) return concludeScore(s, r);
  }
  return unimplemented(method);
}

function preflight(c: Validator, r: Reader): u64 {
  const q = new PreflightRequest();
  readPreflightRequest(r, q);
  if (r.error.length > 0) return malformed("PreflightRequest", r);
  const findings = c.preflight(q.facts, q.runConfig);
  const failure = c.takeFailure();
  if (failure !== null || findings === null) return failed(failure, "preflight");
  const out = new PreflightResponse();
  out.findings = findings;
  const w = begin(sizePreflightResponse(out));
  if (w === null) return tooLong();
  writePreflightResponse(w, out);
  return w.done();
}

function check(c: Validator, r: Reader, batch: Batch): u64 {
  const q = new CheckRequest();
  readCheckRequest(r, q);
  if (r.error.length > 0) return malformed("CheckRequest", r);
  const samples = batch.join(q.samples);
  if (samples === null) return empty();
  const out = c.check(samples);
  const failure = c.takeFailure();
  if (failure !== null || out === null) return failed(failure, "check");
  const w = begin(sizeCheckResponse(out));
  if (w === null) return tooLong();
  writeCheckResponse(w, out);
  return w.done();
}

function score(c: Scorer, r: Reader, batch: Batch): u64 {
  const q = new ScoreRequest();
  readScoreRequest(r, q);
  if (r.error.length > 0) return malformed("ScoreRequest", r);
  const samples = batch.join(q.samples);
  if (samples === null) return empty();
  const out = c.score(samples);
  const failure = c.takeFailure();
  if (failure !== null || out === null) return failed(failure, "score");
  const w = begin(sizeScoreResponse(out));
  if (w === null) return tooLong();
  writeScoreResponse(w, out);
  return w.done();
}

function fold(c: Judge, r: Reader): u64 {
  const q = new FoldRequest();
  readFoldRequest(r, q);
  if (r.error.length > 0) return malformed("FoldRequest", r);
  const account = c.fold(q.account, q.batch);
  const failure = c.takeFailure();
  if (failure !== null || account === null) return failed(failure, "fold");
  const out = new FoldResponse();
  out.account = account;
  const w = begin(sizeFoldResponse(out));
  if (w === null) return tooLong();
  writeFoldResponse(w, out);
  return w.done();
}

function concludeCheck(c: Validator, r: Reader): u64 {
  const q = new ConcludeRequest();
  readConcludeRequest(r, q);
  if (r.error.length > 0) return malformed("ConcludeRequest", r);
  const out = c.conclude(q);
  const failure = c.takeFailure();
  if (failure !== null || out === null) return failed(failure, "conclude");
  const w = begin(sizeConcludeCheckResponse(out));
  if (w === null) return tooLong();
  writeConcludeCheckResponse(w, out);
  return w.done();
}

function concludeScore(c: Scorer, r: Reader): u64 {
  const q = new ConcludeRequest();
  readConcludeRequest(r, q);
  if (r.error.length > 0) return malformed("ConcludeRequest", r);
  const out = c.conclude(q);
  const failure = c.takeFailure();
  if (failure !== null || out === null) return failed(failure, "conclude");
  const w = begin(sizeConcludeScoreResponse(out));
  if (w === null) return tooLong();
  writeConcludeScoreResponse(w, out);
  return w.done();
}

export function countTokens(c: Counter, method: i32, r: Reader, batch: Batch): u64 {
  if (method != Method.Count) return unimplemented(method);
  const q = new CountRequest();
  readCountRequest(r, q);
  if (r.error.length > 0) return malformed("CountRequest", r);
  const samples = batch.join(q.samples);
  if (samples === null) return empty();
  const counts = c.count(samples);
  const failure = c.takeFailure();
  if (failure !== null || counts === null) return failed(failure, "count");
  if (counts.length != samples.length) {
    return status(Code.Internal, `${counts.length} counts for ${samples.length} samples`);
  }
  const out = new CountResponse();
  out.counts = counts;
  const w = begin(sizeCountResponse(out));
  if (w === null) return tooLong();
  writeCountResponse(w, out);
  return w.done();
}
