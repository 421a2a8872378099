import assert from "node:assert/strict";
import { test } from "node:test";

import { decode, encode, Method } from "../paceline/testing/index.mjs";
import { echo, kinds, statusOf } from "./module.mjs";

const plugin = await kinds();

test("a million calls do not make the memory grow", async () => {
  const c = await (await echo()).open("exact");
  const request = encode("ScoreRequest", {
    samples: [{ trajectory: "line-00000001", truth: '"one"', answer: { message: '{"role":"assistant","content":"one","more":[1,2,{"a":"b"}]}' } }],
  });
  const { paceline_v1_alloc: alloc, paceline_v1_free: free, paceline_v1_invoke: invoke, memory } = c.instance.exports;
  let after; // what the first tenth needed
  for (let i = 0; i < 1_000_000; i++) {
    const at = alloc(request.length);
    new Uint8Array(memory.buffer, at, request.length).set(request);
    const packed = invoke(Method.Score, at, request.length);
    const ptr = Number(packed >> 32n);
    if (new Uint8Array(memory.buffer, ptr, 1)[0] !== 0) assert.fail(`call ${i} was refused`);
    free(at, request.length);
    free(ptr, Number(packed & 0xffffffffn));
    if (i === 100_000) after = memory.buffer.byteLength;
    if (memory.buffer.byteLength > 4 << 20) assert.fail(`${memory.buffer.byteLength} bytes after ${i} calls`);
  }
  assert.equal(memory.buffer.byteLength, after);
  assert.ok(after <= 1 << 20, `${after} bytes for a request of ${request.length}`);
});

test("large and small calls in turn do not make the memory grow", async () => {
  const c = await plugin.open("lab");
  const call = (i) => {
    const size = (i * 7919) % 3_000_000;
    const [item] = c.score({ domain: "size", truth: `${size}`, history: Buffer.alloc((i * 104729) % 2_000_000) }).items;
    assert.equal(item.detail.length, size);
  };
  for (let i = 0; i < 40; i++) call(i);
  const before = c.instance.exports.memory.buffer.byteLength;
  for (let i = 40; i < 120; i++) call(i);
  assert.ok(c.instance.exports.memory.buffer.byteLength <= 1.5 * before + (8 << 20));
  assert.ok(c.instance.exports.memory.buffer.byteLength <= 96 << 20);
});

test("replies and requests stay as they are until they are freed", async () => {
  const c = await plugin.open("lab");
  const { paceline_v1_alloc: alloc, paceline_v1_free: free, paceline_v1_invoke: invoke, memory } = c.instance.exports;
  const held = [];
  const put = (text) => {
    const request = encode("ScoreRequest", { samples: [{ domain: "text", truth: text }] });
    const at = alloc(request.length);
    new Uint8Array(memory.buffer, at, request.length).set(request);
    const packed = invoke(Method.Score, at, request.length);
    held.push({ text, request, at, ptr: Number(packed >> 32n), len: Number(packed & 0xffffffffn) });
  };
  const look = ({ text, request, at, ptr, len }) => {
    assert.deepEqual(new Uint8Array(memory.buffer, at, request.length), request);
    assert.equal(decode("ScoreResponse", new Uint8Array(memory.buffer, ptr, len).subarray(1)).items[0].reason, text);
  };
  for (let i = 0; i < 300; i++) {
    put(`${i} `.repeat(1 + ((i * i) % 300)));
    c.score({ domain: "garbage", truth: "2000" });
    if (i % 3 === 2) {
      const [h] = held.splice((i * 31) % held.length, 1);
      look(h);
      free(h.ptr, h.len);
      free(h.at, h.request.length);
    }
  }
  assert.equal(held.length, 200);
  for (const h of held) look(h);
  free(12345, 1); // not a block: ignored
  free(held[0].ptr, held[0].len);
  free(held[0].ptr, held[0].len); // freed already: ignored
  look(held[1]);
});

test("no memory left is 0, and a reply that is too long a status", async () => {
  const c = await plugin.open("lab");
  const { paceline_v1_alloc: alloc, paceline_v1_free: free, memory } = c.instance.exports;
  assert.equal(alloc(-1), 0);
  assert.equal(alloc((64 << 20) + 4097), 0);
  const blocks = [];
  for (let at = alloc(64 << 20); at !== 0; at = alloc(64 << 20)) {
    assert.ok((at >>> 0) + (64 << 20) <= memory.buffer.byteLength);
    blocks.push(at);
  }
  assert.ok(blocks.length > 10, `${blocks.length} blocks`);
  for (const at of blocks) free(at, 64 << 20);
  assert.notEqual(alloc(64 << 20), 0);
  assert.notEqual(alloc(0), 0);
  const other = await plugin.open("lab");
  assert.equal(statusOf(() => other.score({ domain: "size", truth: `${64 << 20}` })), "8 the reply would be longer than 67108864 bytes");
  assert.equal(other.score({ domain: "text", truth: "still here" }).items[0].reason, "still here");
});
