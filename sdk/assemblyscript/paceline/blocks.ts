// Blocks that the host holds: requests until it frees them, replies until it freed them. They lie in pages of their own that
// the garbage collector does not know, so nothing moves or frees them meanwhile, and a memory that does not grow any more is
// an answer (0) and no trap.

/** The longest block: the longest reply that the contract allows, and a little. */
const MAX_BLOCK: u32 = (64 << 20) + 4096;

const PAGE: usize = 1 << 16;

/** A block stands before its bytes. All blocks are in one list by rising address. */
// @ts-ignore: decorator
@unmanaged
class Block {
  room: u32; // bytes that fit
  size: u32; // bytes that were asked for
  used: bool;
  next: Block | null;
  prev: Block | null;
}

// @ts-ignore: decorator
@inline
const HEAD: usize = 32; // a multiple of 16 that a Block fits into

let first: Block | null = null;
let last: Block | null = null;

// @ts-ignore: decorator
@inline
function bytesOf(b: Block): usize {
  return changetype<usize>(b) + HEAD;
}

/** alloc reserves n bytes, one at least, and returns their address; 0: there is no memory left. */
export function alloc(n: u32): usize {
  // The stub runtime takes all pages to be its own.
  if (ASC_RUNTIME == 0) ERROR("paceline needs another runtime than stub: compile with --config node_modules/paceline/asconfig.json");
  if (n > MAX_BLOCK) return 0;
  const room = (max<u32>(n, 1) + 15) & ~15;
  let b = first;
  while (b !== null && (b.used || b.room < room)) b = b.next;
  if (b === null) b = grow(room);
  if (b === null) return 0;
  split(b, room);
  b.used = true;
  b.size = n;
  return bytesOf(b);
}

/** free takes back a block; another address is ignored. */
export function free(ptr: usize): void {
  const b = find(ptr);
  if (b === null) return;
  b.used = false;
  absorb(b);
  const prev = b.prev;
  if (prev !== null && !prev.used) absorb(prev);
}

/** sizeOf is the size that a block was reserved with; -1: there is no such block. */
export function sizeOf(ptr: usize): i64 {
  const b = find(ptr);
  return b === null ? -1 : <i64>b.size;
}

function find(ptr: usize): Block | null {
  let b = first;
  while (b !== null && bytesOf(b) != ptr) b = b.next;
  return b !== null && b.used ? b : null;
}

/** grow makes room at the end of the memory, and gives the free block there. */
function grow(room: u32): Block | null {
  const end = <usize>memory.size() * PAGE;
  const tail = last;
  const adjacent = tail !== null && !tail.used && bytesOf(tail) + tail.room == end;
  const wanted = adjacent ? <usize>room - tail!.room : <usize>room + HEAD;
  const pages = <i32>((wanted + PAGE - 1) / PAGE);
  if (memory.grow(pages) < 0) return null;
  if (adjacent) {
    tail!.room += <u32>(<usize>pages * PAGE);
    return tail;
  }
  const b = changetype<Block>(end);
  b.room = <u32>(<usize>pages * PAGE - HEAD);
  b.used = false;
  b.next = null;
  b.prev = tail;
  if (tail === null) first = b;
  else tail.next = b;
  last = b;
  return b;
}

/** split cuts off what a block has beyond room where that is worth it. */
function split(b: Block, room: u32): void {
  if (b.room < room + <u32>HEAD + 64) return;
  const rest = changetype<Block>(bytesOf(b) + room);
  const next = b.next;
  rest.room = b.room - room - <u32>HEAD;
  rest.used = false;
  rest.next = next;
  rest.prev = b;
  if (next === null) last = rest;
  else next.prev = rest;
  b.next = rest;
  b.room = room;
}

/** absorb joins a free block with the one behind it where that is free and touches it. */
function absorb(b: Block): void {
  const next = b.next;
  if (next === null || next.used || bytesOf(b) + b.room != changetype<usize>(next)) return;
  b.room += <u32>HEAD + next.room;
  const behind = next.next;
  b.next = behind;
  if (behind === null) last = b;
  else behind.prev = b;
}
