// Text between the strings of the language, which are UTF-16, and the UTF-8 of everything outside.

/** textOf reads UTF-8. Each byte that is not part of valid UTF-8 becomes U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return decodeText(bytes.dataStart, bytes.length);
}

/** bytesOf gives a text as UTF-8. A half of a surrogate pair becomes U+FFFD. */
export function bytesOf(text: string): Uint8Array {
  const out = new Uint8Array(String.UTF8.byteLength(text));
  String.UTF8.encodeUnsafe(changetype<usize>(text), text.length, out.dataStart, false, String.UTF8.ErrorMode.REPLACE);
  return out;
}

/** validText reports whether the bytes at an address are valid UTF-8. */
export function validText(at: usize, size: usize): bool {
  const end = at + size;
  while (at < end) {
    if (load<u8>(at) < 0x80) {
      at++;
      continue;
    }
    const n = runeSize(at, end);
    if (n == 0) return false;
    at += n;
  }
  return true;
}

/** decodeText is textOf for bytes at an address. */
export function decodeText(at: usize, size: usize): string {
  if (size == 0) return "";
  // No text has more units than bytes. Nothing is allocated until the text has its reference.
  const text = changetype<string>(__new(size << 1, idof<string>()));
  const start = changetype<usize>(text);
  const end = at + size;
  let to = start;
  while (at < end) {
    const c = load<u8>(at);
    if (c < 0x80) {
      store<u16>(to, c);
      to += 2;
      at++;
      continue;
    }
    const n = runeSize(at, end);
    to = putRune(to, n == 0 ? 0xfffd : runeAt(at, n));
    at += n == 0 ? 1 : n;
  }
  return changetype<string>(__renew(start, to - start));
}

/** putRune writes a code point as UTF-16 and returns where the next one goes. */
export function putRune(to: usize, rune: u32): usize {
  if (rune < 0x10000) {
    store<u16>(to, <u16>rune);
    return to + 2;
  }
  rune -= 0x10000;
  store<u16>(to, <u16>(0xd800 | (rune >> 10)));
  store<u16>(to, <u16>(0xdc00 | (rune & 0x3ff)), 2);
  return to + 4;
}

/** runeAt is the code point of a valid sequence of n bytes. */
export function runeAt(at: usize, n: u32): u32 {
  const c: u32 = load<u8>(at);
  if (n == 1) return c;
  if (n == 2) return ((c & 0x1f) << 6) | tail(at, 1);
  if (n == 3) return ((c & 0x0f) << 12) | (tail(at, 1) << 6) | tail(at, 2);
  return ((c & 0x07) << 18) | (tail(at, 1) << 12) | (tail(at, 2) << 6) | tail(at, 3);
}

// @ts-ignore: decorator
@inline
function tail(at: usize, i: usize): u32 {
  return <u32>load<u8>(at + i) & 0x3f;
}

/** runeSize is the number of bytes of the valid sequence at an address; 0: there is none before end. */
export function runeSize(at: usize, end: usize): u32 {
  const c = load<u8>(at);
  if (c < 0x80) return 1;
  if (c < 0xc2 || c > 0xf4) return 0;
  const n: u32 = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
  if (<usize>n > end - at) return 0;
  // The second byte's range keeps out what is longer than need be, surrogates, and what is above U+10FFFF.
  let low: u8 = 0x80;
  let high: u8 = 0xbf;
  if (c == 0xe0) low = 0xa0;
  else if (c == 0xed) high = 0x9f;
  else if (c == 0xf0) low = 0x90;
  else if (c == 0xf4) high = 0x8f;
  const second = load<u8>(at, 1);
  if (second < low || second > high) return 0;
  for (let i: u32 = 2; i < n; i++) {
    if ((load<u8>(at + i) & 0xc0) != 0x80) return 0;
  }
  return n;
}
