import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { verify } from "./auth.js";
import { Budget } from "./limits.js";
import { bookings } from "./routes/bookings.js";
import { tides } from "./routes/tides.js";

export const PORT = Number(process.env.QUAYSIDE_PORT ?? 7410);

/** Largest request body in bytes. A call with its papers is under 20 kB. */
export const MAX_BODY = 48 * 1024;

/** How long a request may take before the gateway answers 504. */
export const REQUEST_TIMEOUT_MS = 8500;

type Route = (req: IncomingMessage, res: ServerResponse, caller: string) => Promise<void>;

const routes: Record<string, Route> = {
  "/v2/bookings": bookings,
  "/v2/tides": tides,
};

const budget = new Budget();

export function start(): void {
  const server = createServer(async (req, res) => {
    res.setHeader("x-quayside-build", process.env.QUAYSIDE_BUILD ?? "unknown");
    if (req.url === "/healthz") {
      res.end("afloat\n");
      return;
    }
    const caller = verify(req.headers.authorization);
    if (caller === undefined) {
      res.statusCode = 401;
      res.end();
      return;
    }
    if (!budget.take(caller)) {
      res.statusCode = 429;
      res.setHeader("retry-after", String(budget.waitSeconds(caller)));
      res.end();
      return;
    }
    const route = routes[(req.url ?? "").split("?")[0]];
    if (route === undefined) {
      res.statusCode = 404;
      res.end();
      return;
    }
    await route(req, res, caller);
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.listen(PORT);
}
