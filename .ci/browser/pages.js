// Opens the pages of sweep/chart from files and uses them as a person would.  node pages.js DIR
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { check, launch, open } from "./browser.js";

const dir = process.argv[2];
const address = (name) => pathToFileURL(join(dir, name)).href;
const browser = await launch();

// overlaps are pairs of texts in the drawing that cover each other.
const overlaps = (page) => page.evaluate(() => {
  const texts = [...document.querySelectorAll("svg text")].map((t) => ({ text: t.textContent, box: t.getBoundingClientRect() })).filter((t) => t.text && t.box.width);
  const hit = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  return texts.flatMap((a, i) => texts.slice(i + 1).filter((b) => hit(a.box, b.box)).map((b) => [a.text, b.text]));
});

for (const name of ["small", "example", "full", "empty"]) {
  for (const scheme of ["light", "dark"]) {
    const { page, faults } = await open(browser, address(`${name}.html`), { scheme });
    await page.screenshot({ path: join(dir, `${name}-${scheme}.png`), fullPage: true });
    check(`${name}, ${scheme}: nothing refused, asked for or thrown`, faults.length === 0, faults);
    const seen = await page.evaluate(() => ({
      chart: document.querySelector("svg").getBoundingClientRect().bottom,
      wide: document.documentElement.scrollWidth,
      ground: getComputedStyle(document.querySelector("svg .ground")).fill,
      scripts: document.scripts.length,
      strangers: document.querySelectorAll("b, [onclick], script[src], link, img").length,
    }));
    check(`${name}, ${scheme}: the drawing fits 1200 x 800`, seen.chart <= 800 && seen.wide <= 1200, seen);
    check(`${name}, ${scheme}: one script, nothing of strangers`, seen.scripts === 1 && seen.strangers === 0, seen);
    check(`${name}, ${scheme}: ground`, seen.ground === (scheme === "dark" ? "rgb(17, 22, 28)" : "rgb(255, 255, 255)"), seen.ground);
    const crossed = await overlaps(page);
    check(`${name}, ${scheme}: no text covers another`, crossed.length === 0, crossed);
    await page.close();
  }
  const { page } = await open(browser, address(`${name}.svg`));
  await page.screenshot({ path: join(dir, `${name}-svg.png`) });
  const crossed = await overlaps(page);
  check(`${name}.svg: no text covers another`, crossed.length === 0, crossed);
  await page.close();
}

for (const scheme of ["light", "dark"]) {
  const { page, faults } = await open(browser, address("run.html"), { scheme });
  await page.screenshot({ path: join(dir, `run-${scheme}.png`), fullPage: true });
  const seen = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, scripts: document.scripts.length, bars: document.querySelectorAll("svg rect").length }));
  check(`run, ${scheme}: nothing refused, asked for or thrown`, faults.length === 0, faults);
  check(`run, ${scheme}: it fits, has bars and no script`, seen.wide <= 1200 && seen.scripts === 0 && seen.bars > 10, seen);
  const crossed = await overlaps(page);
  check(`run, ${scheme}: no text covers another`, crossed.length === 0, crossed);
  await page.close();
}

const { page, faults } = await open(browser, address("example.html"));
const tip = () => page.evaluate(() => {
  const t = document.getElementById("tip");
  const box = t.getBoundingClientRect();
  return t.hidden ? "" : { text: t.innerText, inside: box.left >= 0 && box.right <= innerWidth && box.top >= 0 };
});
await page.hover('[data-row="p0-2"]');
let shown = await tip();
check("a pointer over a point shows its facts", /12[^]*173\.1[^]*2,077[^]*passed[^]*TTFT p90[^]*235 ms/.test(shown.text) && shown.inside, shown);
await page.screenshot({ path: join(dir, "hover.png") });
check("and lights its line of the table", await page.$eval("#p0-2", (row) => row.classList.contains("on")));
await page.mouse.move(5, 5);
check("the facts go with the pointer", (await tip()) === "");
await page.keyboard.press("Tab");
shown = await tip();
check("Tab reaches the first point", /^Concurrency\s+1\b/.test(shown.text), shown);
await page.keyboard.press("ArrowLeft");
shown = await tip();
check("the left arrow goes to the next higher concurrency", /^Concurrency\s+4\b/.test(shown.text), shown);
await page.screenshot({ path: join(dir, "focus.png") });
await page.keyboard.press("Escape");
check("Escape hides the facts", (await tip()) === "");
for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
shown = await tip();
check("a failed point says what failed", /48[^]*✕ failed[^]*inline accuracy/.test(shown.text), shown);
await page.hover('.overlay [data-row="p1-6"]');
shown = await tip();
check("a point of the earlier sweep shows its facts", /64[^]*80\.48/.test(shown.text), shown);
const names = await page.$$eval("svg .points .point", (all) => all.map((p) => p.getAttribute("aria-label")));
check("every point has a name for screen readers", names.length === 7 && names.every((n) => n.includes("concurrency") && n.includes("tokens/s")), names);
check("the page's own policy refuses an inline script", await page.evaluate(() => {
  const s = document.createElement("script");
  s.textContent = "document.title = 'taken'";
  document.body.append(s);
  return document.title !== "taken";
}));
await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
await page.emulateMediaType("print");
check("print is dark on white", await page.evaluate(() => getComputedStyle(document.querySelector("svg .ground")).fill === "rgb(255, 255, 255)" && getComputedStyle(document.getElementById("tip")).display === "none"));
await page.pdf({ path: join(dir, "print.pdf"), preferCSSPageSize: true, printBackground: true });
check("nothing else went wrong", faults.every((f) => f.includes("Content Security Policy")), faults);
await browser.close();
