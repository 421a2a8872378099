// The manifest's way into the module: canonical JSON in a custom section, as tools/wasmbuild makes it for Go.

/** The section's name. */
export const SECTION = "paceline.manifest";

/** canonical gives a manifest as canonical JSON: sorted keys, no white space. */
export function canonical(source) {
  const value = JSON.parse(source);
  if (typeof value?.name !== "string" || value.name === "") throw new Error("name is missing");
  return escape(write(value));
}

function write(v) {
  if (Array.isArray(v)) return `[${v.map(write).join(",")}]`;
  if (v !== null && typeof v === "object") {
    const keys = Object.keys(v).sort();
    return `{${keys.map((k) => `${JSON.stringify(k)}:${write(v[k])}`).join(",")}}`;
  }
  if (typeof v === "number" && !Number.isSafeInteger(v)) throw new Error(`the number ${v} is not a whole one`);
  return JSON.stringify(v);
}

/** escape writes the two characters that are line ends in JavaScript as Go does. */
function escape(json) {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** append appends the custom section to a module. */
export function append(module, name, content) {
  const title = new TextEncoder().encode(name);
  const body = Buffer.concat([varint(title.length), title, new TextEncoder().encode(content)]);
  return Buffer.concat([module, Buffer.from([0]), varint(body.length), body]);
}

function varint(n) {
  const out = [];
  for (; n >= 0x80; n >>>= 7) out.push((n & 0x7f) | 0x80);
  return Buffer.from([...out, n]);
}
