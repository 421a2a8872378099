// The functions that the host calls. A plugin's module exports them: export * from "paceline/abi".

import { alloc, free, sizeOf } from "./blocks";
import { instance } from "./serve";

export function paceline_v1_alloc(n: u32): usize {
  return alloc(n);
}

export function paceline_v1_free(ptr: usize, len: u32): void {
  free(ptr);
}

export function paceline_v1_invoke(method: i32, ptr: usize, len: u32): u64 {
  if (len > 0 && sizeOf(ptr) < <i64>len) throw new Error("request outside of an allocated block");
  return instance().invoke(method, ptr, len);
}
