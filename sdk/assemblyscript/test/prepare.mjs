// Builds the modules that the tests load.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { build, compile } from "../paceline/build.mjs";
import { built, root } from "./module.mjs";

await mkdir(built, { recursive: true });
await writeFile(path.join(built, "echo.wasm"), (await build(path.join(root, "examples/echo"))).module);
await writeFile(path.join(built, "kinds.wasm"), await compile(path.join(root, "test/kinds")));
