import assert from "node:assert/strict";
import { test } from "node:test";

import { Capability, FaultsError, StatusError } from "../paceline/testing/index.mjs";
import { kinds, statusOf } from "./module.mjs";

const plugin = await kinds();

test("describe tells what the author said", async () => {
  const d = await plugin.describe();
  assert.deepEqual([d.name, d.version, d.contractVersion, d.sdk], ["kinds", "1.2.3", 1, "assemblyscript/1"]);
  assert.deepEqual(d.components.map((c) => `${c.kind} ${c.name}`), ["1 live", "2 judge", "4 count", "2 broken", "4 faulty", "3 lab"]);
  assert.equal(Buffer.from(d.components[0].configSchema).toString(), '{"type":"object"}');
});

test("a live workload folds a conversation", async () => {
  const c = await plugin.open("live", { prepared: "q" });
  assert.equal(Buffer.from(c.opened.prepared).toString(), "qp");
  assert.deepEqual(c.opened.losses, ["colour"]);
  assert.ok(c.opened.workload.live);
  const t = c.plan(4, 2, new Uint8Array(5));
  assert.equal(t.id, "4-2-5");
  let [state, turns] = [t.state, 0];
  for (;;) {
    const next = c.next(state, turns, { outcome: "ok" });
    if (next.end) break;
    [state, turns] = [next.state, turns + next.turns.length];
  }
  assert.equal(turns, 2);
  assert.deepEqual(c.logs, ["1 turn 0: ok", "1 turn 1: ok", "1 turn 2: ok"]);
  const { faults, items } = c.checkInputs();
  assert.deepEqual([faults.length, items], [2, 3n]);
  assert.equal(c.next("", 0, undefined).end.outcome, "solved"); // no answer in the request
});

test("a batch of several requests is judged at once", async () => {
  const c = await plugin.open("judge");
  assert.equal(c.check({}, {}).findings[0].code, "2-samples");
  assert.deepEqual(c.check({}, { more: true }), { findings: [], account: new Uint8Array(0) });
  assert.deepEqual(c.check({ more: true }).findings, []);
  const last = c.check({ more: true }, {});
  assert.equal(last.findings[0].code, "5-samples");
  assert.deepEqual([...last.account], [5]);
  assert.equal(c.check().findings[0].code, "0-samples");
  assert.equal(c.concludeCheck({}, last.account, new Uint8Array([7])).reason, "5,7");
});

test("statuses say what is wrong", async () => {
  const fresh = await plugin.instance();
  const plan = (i) => i.call("Plan", "PlanRequest", {}, "PlanResponse");
  assert.equal(statusOf(() => plan(fresh)), "9 method 16 before open");
  const [live, judge, count] = [await plugin.open("live"), await plugin.open("judge"), await plugin.open("count")];
  assert.equal(statusOf(() => live.plan(9)), "13 plan 9 returned neither a result nor an error");
  assert.equal(statusOf(() => plan(judge.instance)), "12 method 16 is not offered by this component");
  assert.equal(statusOf(() => live.score({})), "12 method 48 is not offered by this component");
  assert.equal(statusOf(() => judge.checkInputs()), "12 method 3 is not offered by this component");
  assert.equal(statusOf(() => count.instance.call("Evaluate", "EvaluateRequest", {}, "EvaluateResponse")), "12 method 51 is not offered by this component");
  assert.equal(statusOf(() => judge.preflight([{ probe: "version" }])), "14 fact version: no progress");
  assert.deepEqual(judge.preflight([{ probe: "good" }]), []);
  assert.equal(statusOf(() => judge.concludeCheck({})), "13 conclude returned neither a result nor an error");
  assert.equal(statusOf(() => judge.instance.call("Open", "OpenRequest", { component: "live" }, "OpenResponse")), "9 the instance is open already");
  assert.equal(statusOf(() => count.count({ outcome: "skip" }, {})), "13 1 counts for 2 samples");
  assert.deepEqual(count.count({}, {}).map((c) => [c.input, c.reason]), [[0n, ""], [null, "odd"]]);
});

test("opening refuses", async () => {
  const refusal = async (...args) => plugin.open(...args).then(() => null, (e) => e);
  assert.equal((await refusal("nothing")).message, "plugin kinds has no component nothing");
  assert.equal((await refusal("broken")).message, "opening component broken returned neither a result nor an error");
  const fault = (await refusal("faulty", { config: { n: 1.5 } })).faults[0];
  assert.deepEqual([fault.pointer, fault.code, fault.message, fault.expected], ["/n", "not-a-number", "n is wrong", "a whole number"]);
  const cut = await refusal("faulty", { config: '{"n":' });
  assert.ok(cut instanceof FaultsError);
  assert.equal(cut.faults[0].code, "not-json");
  assert.equal((await refusal("faulty", {})).faults[0].pointer, "/n");
  const denied = await refusal("faulty", { config: { n: 1 }, granted: [Capability.Network] });
  assert.ok(denied instanceof StatusError);
  assert.equal(denied.code, 7);
  assert.ok((await plugin.open("faulty", { config: { n: -7 } })).opened);
});
