import assert from "node:assert/strict";
import { test } from "node:test";

import { kinds } from "./module.mjs";

const plugin = await kinds();
const lab = await plugin.open("lab");
const json = (truth) => lab.score({ domain: "json", truth }).items[0];
const reading = async (data) => {
  const c = await plugin.open("lab", { inputs: [{ name: "data", data }] });
  return (domain, truth) => c.score({ domain, truth }).items[0];
};

test("good JSON comes back", () => {
  for (const doc of [
    "0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1.50e+3", "true", "false", "null", '""', "[]", "{}",
    '{"a":[1,{"b":null}],"c":"d"}', '"\\u0041\\n\\t\\"\\\\\\/\\b\\f\\r"', '"é 漢 😀 \\ud83d\\ude00"', '"\\u0000\\u001f"', "[[],[[]],{}]",
    `${"[".repeat(50)}${"]".repeat(50)}`,
  ]) {
    const { detail, reason } = json(`\t ${doc}\r\n`);
    assert.equal(reason, doc);
    assert.equal(JSON.stringify(JSON.parse(Buffer.from(detail).toString())), JSON.stringify(JSON.parse(doc)), doc);
  }
  assert.equal(Buffer.from(json("1.50e+3").detail).toString(), "1.50e+3");
  assert.equal(JSON.parse(Buffer.from(json('"\\ud83d x \\ude00"').detail)), "\ufffd x \ufffd");
  assert.equal(JSON.parse(Buffer.from(json(Uint8Array.from([0x22, 0xe2, 0x82, 0x22])).detail)), "\ufffd\ufffd");
});

test("bad JSON is refused where it is bad", () => {
  for (const [doc, want] of [
    ["", "0: the document is cut off"],
    ["  ", "2: the document is cut off"],
    ["[", "1: the document is cut off"],
    ["[1", "2: expected , or ]"],
    ["[1,]", "3: expected a value"],
    ["[,1]", "1: expected a value"],
    ["[1 2]", "3: expected , or ]"],
    ["[}", "1: expected a value"],
    ['{"a"}', "4: expected :"],
    ['{"a":}', "5: expected a value"],
    ['{"a":1,}', "7: expected a name in quotes"],
    ["{a:1}", "1: expected a name in quotes"],
    ["01", "2: not a number"],
    ["-", "1: not a number"],
    ["1.", "2: not a number"],
    ["1e", "2: not a number"],
    [".5", "0: expected a value"],
    ["NaN", "0: expected a value"],
    ["tru", "0: expected a value"],
    ["1 1", "2: more than one value"],
    ['"a', "2: a string without its end"],
    ['"a\\', "4: a string without its end"],
    ['"a\\"', "4: a string without its end"],
    ['"\x01"', "1: a control character in a string"],
    ['"\\x"', "1: unknown escape in a string"],
    ['"\\u12g4"', "1: unknown escape in a string"],
    ['"\\u12"', "1: unknown escape in a string"],
    ["[".repeat(51), "51: nested more than 50 deep"],
    ["[".repeat(1_000_000), "51: nested more than 50 deep"],
  ]) {
    assert.equal(json(doc).reason, want, doc.slice(0, 20));
  }
});

test("lines have number and offset", async () => {
  const run = await reading("\ufeffone\n\n \t\r\ntwo\r\nlast");
  assert.equal(run("lines", "0").reason, "8@3+3=one<7|11@12+3=two<17|12@17+4=last<21");
  assert.equal(run("lines", "12").reason, "8@12+3=two<17|9@17+4=last<21");
  assert.equal(run("lines", "21").reason, "");
  assert.equal((await reading("abc\r\nabcd\n"))("lines", "-3").reason, "1@0+3=abc<5|line 2: line too long");
  assert.equal((await reading(""))("lines", "0").reason, "");
  assert.equal((await reading("\n"))("lines", "0").reason, "");
  assert.equal((await reading("x\r"))("lines", "0").reason, "8@0+1=x<2");
});

test("lines may be longer than the buffer", async () => {
  const lengths = [0, 1, 7, 8, 9, 262_143, 262_144, 262_145, 600_000, 3, 262_140];
  const run = await reading(lengths.map((n) => "x".repeat(n)).join("\n"));
  let at = 0;
  const want = lengths.map((n, i) => {
    const part = `${8 + i}@${at}+${n}=${n < 20 ? "x".repeat(n) : "long"}<${at + n + (i + 1 < lengths.length ? 1 : 0)}`;
    at += n + 1;
    return n > 0 ? part : "";
  });
  assert.equal(run("lines", "0").reason, want.filter((x) => x).join("|"));
});

test("reading tells of the end and of what is not granted", async () => {
  const run = await reading("0123456789");
  assert.equal(Buffer.from(run("read", "8,2").detail).toString(), "89");
  assert.equal(run("read", "8,3").reason, "input data ends before byte 11");
  assert.equal(run("read", "99,1").reason, "input data ends before byte 100");
  assert.equal(run("read", "18446744073709551615,1").reason, "read input data at 18446744073709551615: outside of memory or of the input's range");
  const c = await plugin.open("lab", { inputs: [{ name: "data", data: "0123456789" }] });
  c.instance.inputs.length = 0;
  assert.match(c.score({ domain: "read", truth: "0,1" }).items[0].reason, /no such input, or not granted/);
  assert.match(c.score({ domain: "lines", truth: "0" }).items[0].reason, /^line 8: read input data at 0: no such input/);
});
