import { IncomingMessage, ServerResponse } from "node:http";
import { append } from "harbour-log";
import { MAX_BODY } from "../server.js";

/** Ships that are longer are refused at once: no berth of ours takes them. */
export const LONGEST_SHIP_M = 162;

interface Call {
  ship: string;
  lengthM: number;
  draughtM: number;
  from: string;
  until: string;
}

export async function bookings(req: IncomingMessage, res: ServerResponse, caller: string): Promise<void> {
  const call = await readCall(req);
  if (call === undefined) {
    refuse(res, 400, "CALL_UNREADABLE");
    return;
  }
  if (call.lengthM > LONGEST_SHIP_M) {
    refuse(res, 422, "SHIP_TOO_LONG");
    return;
  }
  if (Date.parse(call.until) <= Date.parse(call.from)) {
    refuse(res, 422, "TIMES_REVERSED");
    return;
  }
  const key = req.headers["x-booking-key"];
  const offset = await append("calls.requested", { ...call, caller, key });
  res.statusCode = 202;
  res.setHeader("content-type", "application/json");
  res.end(JSON.stringify({ ticket: `T${offset}` }));
}

async function readCall(req: IncomingMessage): Promise<Call | undefined> {
  let size = 0;
  const parts: Buffer[] = [];
  for await (const part of req) {
    size += part.length;
    if (size > MAX_BODY) {
      return undefined;
    }
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString()) as Call;
  } catch {
    return undefined;
  }
}

function refuse(res: ServerResponse, status: number, code: string): void {
  res.statusCode = status;
  res.end(JSON.stringify({ code }));
}
