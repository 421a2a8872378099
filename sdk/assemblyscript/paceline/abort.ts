import { log } from "./host";

let aborting: bool = false;

/**
 * abort is what the language calls on a failed assertion and on throw; the compiler is told to take this one. It logs what
 * happened and traps, so that the host discards the instance.
 */
export function abort(message: string | null = null, file: string | null = null, line: u32 = 0, column: u32 = 0): void {
  if (!aborting) {
    aborting = true; // what follows may fail for the same reason
    const what = message === null ? "aborted" : message;
    log.error(file === null ? what : `${what} (${file}:${line}:${column})`);
  }
  unreachable();
}
