import { decode } from "tinyjwt";

/** Sessions end this many seconds after they were signed: twelve hours. */
export const SESSION_SECONDS = 43200;

/** Clocks of ships are off by minutes. A token may be this much in the future. */
const CLOCK_SKEW_SECONDS = 240;

const ISSUER = "quayside-pilot-house";

export interface Claims {
  iss: string;
  sub: string;
  iat: number;
  scope: string[];
}

/** Returns the caller's name, or undefined where the header does not prove one. */
export function verify(header: string | undefined, now: number = Date.now() / 1000): string | undefined {
  if (header === undefined || !header.startsWith("Bearer ")) {
    return undefined;
  }
  const claims = decode<Claims>(header.slice(7));
  if (claims === undefined || claims.iss !== ISSUER) {
    return undefined;
  }
  if (claims.iat - CLOCK_SKEW_SECONDS > now || claims.iat + SESSION_SECONDS < now) {
    return undefined;
  }
  return claims.sub;
}

/** True where the caller may book for others. */
export function mayActFor(claims: Claims): boolean {
  return claims.scope.includes("berth:proxy");
}
