import assert from "node:assert/strict";
import { test } from "node:test";

import { checkManifest, FaultsError, Kind } from "../paceline/testing/index.mjs";
import { echo, statusOf } from "./module.mjs";

const plugin = await echo();
const text = { inputs: [{ name: "text", data: 'one\n\n"two"\r\n' }] };
const say = (bytes) => Buffer.from(bytes).toString();

test("the plugin is as its manifest says", async () => {
  assert.deepEqual(await checkManifest(plugin), []);
  assert.deepEqual(plugin.imports, ["paceline_v1.input_read", "paceline_v1.log"]);
  const lying = { ...plugin.manifest, version: "9.9.9" };
  assert.match((await checkManifest(plugin, lying))[0], /version.*9\.9\.9/);
  assert.equal((await plugin.describe()).components[2].kind, Kind.Scorer);
});

test("the workload plans the lines", async () => {
  const c = await plugin.open("repeat", text);
  assert.equal(c.opened.workload.trajectories, 2n);
  assert.deepEqual(c.logs, ["1 2 lines"]);
  const { id, turns } = c.plan(1);
  assert.equal(id, "line-00000001");
  assert.equal(say(turns[0].append[0].json), '{"role":"user","content":"Repeat exactly: \\"two\\""}');
  assert.equal(say(turns[0].truth), '"\\"two\\""');
  assert.equal(statusOf(() => c.plan(2)), "11 no line 2: there are 2");
  assert.equal(statusOf(() => c.plan(2n ** 64n - 1n)), "11 no line 18446744073709551615: there are 2");
});

test("a missing and an empty input are faults", async () => {
  for (const [inputs, code] of [[[], "missing-input"], [[{ name: "text", data: "\n" }], "empty"]]) {
    await assert.rejects(plugin.open("repeat", { inputs }), (e) => e instanceof FaultsError && e.faults[0].code === code);
  }
});

test("the scorer scores", async () => {
  const c = await plugin.open("exact");
  const r = c.score(
    { turn: 0, truth: '"one"', answer: { message: '{"content":"one"}' } },
    { turn: 1, truth: '"two"', answer: { message: '{"content":"2"}' } },
    { turn: 2, truth: '"three"' },
  );
  assert.deepEqual(r.items.map((i) => [i.turn, i.scored, i.micro, i.reason]), [
    [0, true, 1_000_000n, ""],
    [1, true, 0n, ""],
    [2, false, 0n, "no answer"],
  ]);
  const end = c.concludeScore({}, r.account, r.account);
  assert.equal(end.score.micro, 500_000n);
  assert.equal(end.scored, 4n);
  assert.ok(end.complete);
});

test("the validator judges", async () => {
  const c = await plugin.open("answered");
  const r = c.check({ outcome: "ok" }, { turn: 1, outcome: "timeout" });
  assert.deepEqual(r.findings.map((f) => [f.code, f.message, f.turn]), [["no-answer", "timeout", 1]]);
  assert.equal(c.concludeCheck({}, r.account).passed, false);
  assert.equal(c.concludeCheck({}, c.check({ outcome: "ok" }).account).passed, true);
});
