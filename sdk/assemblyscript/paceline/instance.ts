import {
  readCheckInputsRequest,
  readOpenRequest,
  sizeCheckInputsResponse,
  sizeDescribeResponse,
  sizeOpenResponse,
  writeCheckInputsResponse,
  writeDescribeResponse,
  writeOpenResponse,
} from "./contract/codec_gen";
import { CheckInputsRequest, Method, OpenRequest, OpenResponse } from "./contract/types_gen";
import { Reader } from "./contract/wire";
import { countTokens, Batch, judge, workload } from "./dispatch";
import { Opening } from "./opening";
import { Plugin } from "./plugin";
import { begin, failed, malformed, status, tooLong } from "./reply";
import { Counter, Judge, Role, Workload } from "./roles";
import { Code } from "./status";

/** Instance is one instance of a plugin: it is opened once, for one component. */
export class Instance {
  private role: Role | null = null;
  private batch: Batch = new Batch();

  constructor(private plugin: Plugin) {}

  /** invoke answers the request at an address with the address and length of the reply. */
  invoke(method: i32, ptr: usize, len: u32): u64 {
    const r = new Reader(ptr, ptr + len);
    if (method == Method.Describe) return this.describe();
    if (method == Method.Open) return this.open(r);
    const role = this.role;
    if (role === null) return status(Code.FailedPrecondition, `method ${method} before open`);
    if (method == Method.CheckInputs) return checkInputs(role, r);
    if (role instanceof Workload) return workload(role as Workload, method, r);
    if (role instanceof Judge) return judge(role as Judge, method, r, this.batch);
    if (role instanceof Counter) return countTokens(role as Counter, method, r, this.batch);
    return status(Code.Internal, "the component is of no known kind");
  }

  private describe(): u64 {
    const out = this.plugin.describe();
    const w = begin(sizeDescribeResponse(out));
    if (w === null) return tooLong();
    writeDescribeResponse(w, out);
    return w.done();
  }

  private open(r: Reader): u64 {
    const q = new OpenRequest();
    readOpenRequest(r, q);
    if (r.error.length > 0) return malformed("OpenRequest", r);
    if (this.role !== null) return status(Code.FailedPrecondition, "the instance is open already");
    const component = this.plugin.component(q.component);
    if (component === null) return status(Code.NotFound, `plugin ${this.plugin.name} has no component ${q.component}`);
    const opening = new Opening(q);
    const role = component.open(opening);
    const out = new OpenResponse();
    out.faults = opening.faults;
    if (out.faults.length == 0) {
      const failure = opening.takeFailure();
      if (failure !== null || role === null) return failed(failure, `opening component ${q.component}`);
      out.prepared = opening.prepare;
      out.losses = opening.losses;
      if (role instanceof Workload) out.workload = (role as Workload).info();
      this.role = role;
    }
    const w = begin(sizeOpenResponse(out));
    if (w === null) return tooLong();
    writeOpenResponse(w, out);
    return w.done();
  }
}

function checkInputs(role: Role, r: Reader): u64 {
  const q = new CheckInputsRequest();
  readCheckInputsRequest(r, q);
  if (r.error.length > 0) return malformed("CheckInputsRequest", r);
  const out = role.checkInputs(q.cursor, q.maxFaults);
  const failure = role.takeFailure();
  if (failure !== null || out === null) return failed(failure, "check_inputs");
  const w = begin(sizeCheckInputsResponse(out));
  if (w === null) return tooLong();
  writeCheckInputsResponse(w, out);
  return w.done();
}
