#!/usr/bin/env node
// Builds a plugin: compiles FOLDER/index.ts with pinned options and appends FOLDER/manifest.json. The same sources give the
// same bytes in any folder.

import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { append, canonical, SECTION } from "./section.mjs";

const usage = `usage: paceline-build [FOLDER] [--out FILE] [--no-manifest]

Builds the plugin of a folder with index.ts and manifest.json, e.g. paceline-build . --out hello.wasm

  --out FILE      the module; FOLDER/build/NAME.wasm unless told otherwise
  --no-manifest   leaves the manifest out: the module cannot be loaded before something else has put it in`;

/** compiler is the AssemblyScript compiler that package.json pins. */
async function compiler() {
  try {
    return (await import("assemblyscript/asc")).default;
  } catch (e) {
    if (e.code !== "ERR_MODULE_NOT_FOUND") throw e;
    throw new Error("the AssemblyScript compiler is not installed where the SDK looks for it: npm install --install-links FOLDER_OF_THE_SDK");
  }
}

/** compile gives the module of FOLDER/index.ts, without manifest. */
export async function compile(folder) {
  // The compiler names files relative to its base folder, so no absolute path gets into the module.
  const made = {};
  const config = path.join(path.dirname(fileURLToPath(import.meta.url)), "asconfig.json");
  const asc = await compiler();
  const { error, stderr } = await asc.main(["index.ts", "--baseDir", folder, "--config", config, "--outFile", "module.wasm"], {
    writeFile: (name, content) => void (made[path.basename(name)] = content),
  });
  if (error) throw new Error(`compile ${folder}:\n${stderr.toString().trim()}`);
  return Buffer.from(made["module.wasm"]);
}

/** build gives a plugin's name and its module with the manifest. */
export async function build(folder) {
  const file = path.join(folder, "manifest.json");
  const source = await readFile(file, "utf8");
  let manifest;
  try {
    manifest = canonical(source);
  } catch (e) {
    throw new Error(`${file}: ${e.message}`);
  }
  return { name: JSON.parse(source).name, module: append(await compile(folder), SECTION, manifest) };
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: "string" }, "no-manifest": { type: "boolean" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help || positionals.length > 1) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  const folder = path.resolve(positionals[0] ?? ".");
  const plugin = values["no-manifest"] ? { name: path.basename(folder), module: await compile(folder) } : await build(folder);
  const out = path.resolve(values.out ?? path.join(folder, "build", `${plugin.name}.wasm`));
  await mkdir(path.dirname(out), { recursive: true });
  await writeFile(out, plugin.module);
  console.log(`${createHash("sha256").update(plugin.module).digest("hex")}  ${plugin.name}  ${plugin.module.length} bytes`);
  return 0;
}

// It is a program where it was started as one: by its path, or by the link that npm makes.
if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  try {
    process.exitCode = await main();
  } catch (e) {
    console.error(`paceline-build: ${e.message}`);
    process.exitCode = 1;
  }
}
