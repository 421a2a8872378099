import assert from "node:assert/strict";
import { test } from "node:test";

import { decode, encode, Method } from "../paceline/testing/index.mjs";
import { kinds, statusOf } from "./module.mjs";

const plugin = await kinds();
const bytes = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));

test("the module has the ABI's exports and imports no more than it may", async () => {
  const names = WebAssembly.Module.exports(plugin.module).map((e) => `${e.name} ${e.kind}`);
  assert.deepEqual(names.sort(), ["_initialize function", "memory memory", "paceline_v1_alloc function", "paceline_v1_free function", "paceline_v1_invoke function"]);
  assert.deepEqual(plugin.imports, ["paceline_v1.input_read", "paceline_v1.log"]);
});

/** answer sends raw bytes to a method of an open component and gives the status. */
const answer = (component, method, request) => {
  const reply = component.instance.send(Method[method], request);
  return reply[0] === 1 ? `${reply[1]} ${reply.subarray(2)}` : `message of ${reply.length - 1} bytes`;
};

test("malformed requests are told apart", async () => {
  const c = await plugin.open("live");
  for (const [request, want] of [
    ["\x08", "3 decode PlanRequest: field 1: truncated"],
    ["\x80", "3 decode PlanRequest: truncated"],
    ["\x1a\x05ab", "3 decode PlanRequest: field 3: truncated"],
    ["\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "3 decode PlanRequest: field 3: truncated"],
    ["\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "3 decode PlanRequest: field 1: varint above 64 bits"],
    ["\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "3 decode PlanRequest: field 1: varint above 64 bits"],
    ["\x00\x01", "3 decode PlanRequest: field number out of range"],
    ["\xf8\xff\xff\xff\x7f\x01", "3 decode PlanRequest: field number out of range"],
    ["\x0e", "3 decode PlanRequest: field 1: unknown wire type"],
    ["\x0c", "3 decode PlanRequest: field 1: group without its end"],
    ["\xfb\x07\x08\x01", "3 decode PlanRequest: field 127: truncated"],
    ["\xfb\x07\x0c", "3 decode PlanRequest: field 127: group without its end"],
    ["\xfb\x07".repeat(101), "3 decode PlanRequest: field 127: groups nested too deeply"],
    ["\xf9\x07\x01\x02", "3 decode PlanRequest: field 127: truncated"],
  ]) {
    assert.equal(answer(c, "Plan", bytes(request)), want, JSON.stringify(request));
  }
  const nested = encode("NextRequest", { answer: { usage: { promptTokens: 300 } } });
  assert.equal(answer(c, "Next", nested.subarray(0, -1)), "3 decode NextRequest: field 3: truncated");
  const cut = Uint8Array.from(nested);
  cut[cut.length - 1] = 0x80;
  assert.equal(answer(c, "Next", cut), "3 decode NextRequest: field 3: decode Answer: field 5: decode Usage: field 2: truncated");
  const odd = encode("NextRequest", { answer: { outcome: "xx" } });
  odd[odd.length - 1] = 0xff;
  assert.equal(answer(c, "Next", odd), "3 decode NextRequest: field 3: decode Answer: field 3: string is not valid UTF-8");
});

test("what is unknown is skipped", async () => {
  const c = await plugin.open("live");
  for (const extra of ["\xf8\x07\x05", "\xfa\x07\x02ab", "\xfd\x07abcd", "\xf9\x07abcdefgh", "\xfb\x07\x08\x01\xfb\x07\xfc\x07\xfc\x07", "\x0a\x01x"]) {
    const reply = c.instance.send(Method.Plan, Buffer.concat([bytes(extra), encode("PlanRequest", { index: 4, repeat: 2 })]));
    assert.equal(decode("PlanResponse", reply.subarray(1)).trajectory.id, "4-2-0");
  }
  assert.equal(answer(c, "Plan", bytes("")), "message of 13 bytes");
  assert.equal(c.instance.send(999, bytes("")).subarray(2).toString(), "method 999 is not offered by this component");
});

test("a message within a message that comes twice is joined", async () => {
  const c = await plugin.open("live");
  const twice = Buffer.concat([encode("NextRequest", { state: "x", answer: { outcome: "first" } }), encode("NextRequest", { answer: { error: "second" } })]);
  assert.equal(c.instance.send(Method.Next, twice)[0], 0);
  assert.deepEqual(c.logs, ["1 turn 0: first"]);
});

test("no cut and no flipped bit of a request does harm", async () => {
  const c = await plugin.open("judge");
  const sample = { workload: "w", trajectory: "t", labels: [{ key: "k", value: "é" }], timing: { due: 1n << 60n, done: 0 }, answer: { message: "{}", usage: { reported: true } }, chunks: [{ gapUs: 5, channel: 1, tokens: 0 }], counted: { input: 1 } };
  const request = encode("CheckRequest", { samples: [sample, sample] });
  for (let n = 0; n <= request.length; n++) c.instance.send(Method.Check, request.subarray(0, n));
  for (let bit = 0; bit < 8 * request.length; bit++) {
    const flipped = Uint8Array.from(request);
    flipped[bit >> 3] ^= 1 << (bit & 7);
    c.instance.send(Method.Check, flipped);
  }
  const still = await plugin.open("judge");
  assert.equal(still.check(sample).findings[0].code, "1-samples");
});

test("what was not foreseen is logged and traps", async () => {
  const lab = await plugin.open("lab");
  for (const [domain, truth, log] of [
    ["nothing", "", /^3 no experiment "nothing" \(lab\.ts:\d+:\d+\)$/],
    ["index", "12345", /^3 Index out of range/],
    ["recurse", "", /^3 stack overflow/],
  ]) {
    const c = await plugin.open("lab");
    assert.throws(() => c.score({ domain, truth }), WebAssembly.RuntimeError);
    assert.match(c.logs[0], log);
  }
  assert.throws(() => lab.instance.exports.paceline_v1_invoke(Method.Score, 1 << 16, 8), WebAssembly.RuntimeError);
  assert.match(lab.logs[0], /request outside of an allocated block/);
});

test("a failure is a status of at most 4 KiB and the instance goes on", async () => {
  const c = await plugin.open("lab");
  assert.equal(statusOf(() => c.score({ domain: "fail", truth: "five!" })), "5 five!");
  assert.equal(statusOf(() => c.score({ domain: "fail", truth: "x".repeat(20) })), `2 ${"x".repeat(20)}`);
  const long = statusOf(() => c.score({ domain: "fail", truth: "é".repeat(5000) }));
  assert.equal(long, `2 ${"é".repeat(2048)}`);
  assert.equal(statusOf(() => c.score({ domain: "fail", truth: `a${"é".repeat(5000)}` })), `2 a${"é".repeat(2047)}`);
  assert.equal(c.score({ domain: "text", truth: "x" }).items[0].reason, "x");
});

test("text that is no text is mended", async () => {
  const c = await plugin.open("lab");
  const say = (truth) => c.score({ domain: "text", truth }).items[0].reason;
  for (const raw of ["cut \xe2\x82", "\xff\xfe", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80 \xe0\x80\x80", "\xf0\x9f\x98\x80 \xc3\xa9"]) {
    assert.equal(say(bytes(raw)).replace(/\ufffd+/g, "?"), new TextDecoder().decode(bytes(raw)).replace(/\ufffd+/g, "?"), JSON.stringify(raw));
  }
  assert.equal(say(bytes("\xe2\x82")), "\ufffd\ufffd");
  assert.equal(c.score({ domain: "half" }).items[0].reason, "a\ufffdb");
});
