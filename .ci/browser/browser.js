// A headless Chromium that reaches nothing: every request that leaves the page's own origin is refused and told.
import puppeteer from "puppeteer-core";
import { execFileSync } from "node:child_process";

const executablePath = execFileSync("which", ["chromium-headless-shell"]).toString().trim();

export const launch = () => puppeteer.launch({ executablePath, headless: "shell", args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"] });

// open is a page at url that records what goes wrong in it. Replies are bodies that stand for what the server has at those paths.
export async function open(browser, url, { width = 1200, height = 800, scheme = "light", replies = {} } = {}) {
  const page = await browser.newPage();
  const faults = [];
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const at = request.url();
    const reply = replies[new URL(at).pathname];
    if (reply) return request.respond({ contentType: "application/json", body: reply });
    if (at.startsWith("data:") || new URL(at).origin === new URL(url).origin && (new URL(url).protocol !== "file:" || at === url)) return request.continue();
    faults.push(`asks for ${at}`);
    request.abort();
  });
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(url, { waitUntil: "load" });
  return { page, faults };
}

export function check(what, ok, got = "") {
  if (ok) return console.log(`ok    ${what}`);
  console.log(`FAILED ${what} ${got === "" ? "" : JSON.stringify(got)}`);
  process.exitCode = 1;
}
