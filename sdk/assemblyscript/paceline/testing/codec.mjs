// The contract's messages as plain objects: every field is there, numbers of 64 bits are BigInt, what may be absent is null.

import { messages } from "./messages_gen.mjs";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** encode gives the canonical bytes of a message; fields that the object lacks are left out. */
export function encode(name, message) {
  const out = [];
  let taken = false;
  for (const field of messages[name]) {
    const v = message[field[1]];
    const inOneof = field[6];
    if (v === undefined || v === null || (inOneof && taken)) continue;
    encodeField(out, field, v);
    taken ||= inOneof;
  }
  for (const key of Object.keys(message)) {
    if (!messages[name].some((f) => f[1] === key)) throw new Error(`message ${name} has no field ${key}`);
  }
  return Uint8Array.from(out);
}

function encodeField(out, [number, , form, , sub, flagged], v) {
  const tag = (wire) => varint(out, BigInt(number * 8 + wire));
  const blob = (bytes) => {
    tag(2);
    varint(out, BigInt(bytes.length));
    for (const b of bytes) out.push(b);
  };
  switch (form) {
    case "number":
    case "signed":
    case "enum":
    case "bool": {
      const n = form === "signed" ? (BigInt(v) << 1n) ^ (BigInt(v) >> 63n) : BigInt(v);
      if (n === 0n && !flagged) return;
      tag(0);
      return varint(out, n);
    }
    case "text":
      return v === "" ? undefined : blob(Buffer.from(v));
    case "bytes":
      return v.length === 0 ? undefined : blob(Buffer.from(v));
    case "present":
      return blob(Buffer.from(v));
    case "message":
      return blob(encode(sub, v));
    case "texts":
      return v.forEach((x) => blob(Buffer.from(x)));
    case "messages":
      return v.forEach((x) => blob(encode(sub, x)));
  }
  if (v.length === 0) return;
  const packed = [];
  v.forEach((x) => varint(packed, BigInt(x)));
  blob(packed);
}

function varint(out, v) {
  v = BigInt.asUintN(64, v);
  for (; v >= 0x80n; v >>= 7n) out.push(Number(v & 0x7fn) | 0x80);
  out.push(Number(v));
}

/** decode reads the bytes of a message strictly: what the contract does not know is an error. */
export function decode(name, bytes) {
  const message = {};
  for (const [, key, form, bits, , flagged] of messages[name]) message[key] = flagged ? null : zero(form, bits);
  let at = 0;
  const read = () => {
    let v = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (at >= bytes.length) throw new Error(`${name}: truncated`);
      const c = bytes[at++];
      v |= BigInt(c & 0x7f) << shift;
      if (c < 0x80) return BigInt.asUintN(64, v);
    }
  };
  while (at < bytes.length) {
    const tag = Number(read());
    const field = messages[name].find((f) => f[0] === tag >> 3);
    if (!field) throw new Error(`${name}: unknown field ${tag >> 3}`);
    const wire = tag & 7;
    if (wire === 0) {
      setNumber(message, field, read());
      continue;
    }
    if (wire !== 2) throw new Error(`${name}: wire type ${wire}`);
    const size = Number(read());
    if (size > bytes.length - at) throw new Error(`${name}: truncated`);
    setBlob(message, field, bytes.subarray(at, (at += size)));
  }
  return message;
}

function zero(form, bits) {
  switch (form) {
    case "number":
    case "signed":
      return bits === 64 ? 0n : 0;
    case "enum":
      return 0;
    case "bool":
      return false;
    case "text":
      return "";
    case "bytes":
      return new Uint8Array(0);
    case "present":
    case "message":
      return null;
  }
  return [];
}

function setNumber(message, [, key, form, bits], v) {
  if (form === "bool") message[key] = v !== 0n;
  else if (form === "enum") message[key] = Number(BigInt.asIntN(32, v));
  else if (form === "signed") message[key] = BigInt.asIntN(64, (v >> 1n) ^ -(v & 1n));
  else message[key] = bits === 64 ? v : Number(BigInt.asUintN(32, v));
}

function setBlob(message, [, key, form, , sub], blob) {
  switch (form) {
    case "text":
      message[key] = utf8.decode(blob);
      return;
    case "texts":
      message[key].push(utf8.decode(blob));
      return;
    case "bytes":
    case "present":
      message[key] = blob.slice();
      return;
    case "message":
      message[key] = decode(sub, blob);
      return;
    case "messages":
      message[key].push(decode(sub, blob));
      return;
  }
  for (let at = 0; at < blob.length; ) {
    let v = 0;
    for (let shift = 0; ; shift += 7) {
      const c = blob[at++];
      v += (c & 0x7f) * 2 ** shift;
      if (c < 0x80) break;
    }
    message[key].push(v);
  }
}
