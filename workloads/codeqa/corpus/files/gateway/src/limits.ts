/**
 * A budget of requests for each caller: a bucket that fills by itself. Harbour offices have a larger one than ships, since one
 * office speaks for many.
 */
const SHIP = { size: 30, perMinute: 12 };
const OFFICE = { size: 400, perMinute: 180 };

/** Callers whose name begins so are harbour offices. */
export const OFFICE_PREFIX = "office:";

interface Bucket {
  level: number;
  at: number;
}

export class Budget {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly now: () => number = Date.now) {}

  take(caller: string): boolean {
    const kind = kindOf(caller);
    const at = this.now();
    const b = this.buckets.get(caller) ?? { level: kind.size, at };
    b.level = Math.min(kind.size, b.level + ((at - b.at) / 60000) * kind.perMinute);
    b.at = at;
    this.buckets.set(caller, b);
    if (b.level < 1) {
      return false;
    }
    b.level -= 1;
    return true;
  }

  /** Whole seconds until one request fits again, at least 1. */
  waitSeconds(caller: string): number {
    const b = this.buckets.get(caller);
    if (b === undefined) {
      return 1;
    }
    return Math.max(1, Math.ceil(((1 - b.level) * 60) / kindOf(caller).perMinute));
  }

  /** Drops buckets that nobody touched for an hour. */
  sweep(): number {
    const before = this.buckets.size;
    for (const [caller, b] of this.buckets) {
      if (this.now() - b.at > 3_600_000) {
        this.buckets.delete(caller);
      }
    }
    return before - this.buckets.size;
  }
}

function kindOf(caller: string) {
  return caller.startsWith(OFFICE_PREFIX) ? OFFICE : SHIP;
}
