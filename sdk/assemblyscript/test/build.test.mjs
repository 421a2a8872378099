import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";

import { build } from "../paceline/build.mjs";
import { canonical } from "../paceline/section.mjs";
import { load } from "../paceline/testing/index.mjs";
import { built, root } from "./module.mjs";

const here = readFileSync(path.join(built, "echo.wasm"));

const temp = (t) => {
  const dir = mkdtempSync(path.join(os.tmpdir(), "paceline-as-"));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
};

test("the same sources give the same bytes in any folder, by any way to the SDK", async (t) => {
  const linked = path.join(temp(t), "a", "project");
  cpSync(path.join(root, "examples/echo"), linked, { recursive: true });
  mkdirSync(path.join(linked, "node_modules"));
  symlinkSync(path.join(root, "paceline"), path.join(linked, "node_modules", "paceline"));
  assert.ok((await build(linked)).module.equals(here));

  const copied = temp(t);
  cpSync(path.join(root, "examples/echo"), copied, { recursive: true });
  cpSync(path.join(root, "paceline"), path.join(copied, "node_modules/paceline"), { recursive: true });
  const out = path.join(temp(t), "deep", "echo.wasm");
  const said = execFileSync(process.execPath, [path.join(root, "paceline/build.mjs"), ".", "--out", out], { cwd: copied }).toString();
  assert.ok(readFileSync(out).equals(here));
  assert.match(said, /^[0-9a-f]{64} {2}echo {2}\d+ bytes\n$/);
});

test("a module holds no path of the machine that built it", () => {
  for (const name of [root, os.homedir(), os.tmpdir()]) assert.equal(here.includes(name), false);
});

test("the manifest is in the module, as canonical JSON", async () => {
  assert.equal(canonical('{ "name": "p", "b": [1, "<é>"], "a": {"z": null, "y": "\u2028"} }'), '{"a":{"y":"\\u2028","z":null},"b":[1,"<é>"],"name":"p"}');
  for (const bad of ['{"a":1}', "[]", "null", '{"name":"p","x":1.5}', '{"name":"p"}{}']) assert.throws(() => canonical(bad), bad);
  const plugin = await load(here);
  assert.equal(plugin.manifest.name, "echo");
});

test("what cannot be built says why", async (t) => {
  const dir = temp(t);
  await assert.rejects(build(dir), /manifest\.json/);
  writeFileSync(path.join(dir, "manifest.json"), "{");
  await assert.rejects(build(dir), /manifest\.json: /);
  writeFileSync(path.join(dir, "manifest.json"), '{"name":"x"}');
  writeFileSync(path.join(dir, "index.ts"), "export const x: Nothing = 1;");
  await assert.rejects(build(dir), /Cannot find name 'Nothing'/);
});
