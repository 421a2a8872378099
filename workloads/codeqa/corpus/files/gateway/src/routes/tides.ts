import { IncomingMessage, ServerResponse } from "node:http";

const TIDE_URL = process.env.QUAYSIDE_TIDE ?? "http://tide.internal:7433";

/** Predictions are the same for everybody, so they are kept for this long. */
export const CACHE_SECONDS = 900;

/** The most days that one request may ask for. */
export const MAX_DAYS = 14;

const kept = new Map<string, { at: number; body: string }>();

export async function tides(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? "", "http://gateway");
  const station = url.searchParams.get("station") ?? "";
  const days = Number(url.searchParams.get("days") ?? "3");
  if (!/^[a-z]{4,12}$/.test(station) || !(days >= 1 && days <= MAX_DAYS)) {
    res.statusCode = 400;
    res.end(JSON.stringify({ code: "TIDE_QUERY_BAD" }));
    return;
  }
  const key = `${station}/${days}`;
  const hit = kept.get(key);
  if (hit !== undefined && Date.now() - hit.at < CACHE_SECONDS * 1000) {
    res.setHeader("x-tide-age", String(Math.floor((Date.now() - hit.at) / 1000)));
    res.end(hit.body);
    return;
  }
  const answer = await fetch(`${TIDE_URL}/levels/${station}?days=${days}`);
  if (!answer.ok) {
    res.statusCode = 502;
    res.end(JSON.stringify({ code: "TIDE_UNREACHABLE" }));
    return;
  }
  const body = await answer.text();
  kept.set(key, { at: Date.now(), body });
  res.end(body);
}
