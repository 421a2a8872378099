// Opens a site that mlperf-viz has built, with its own data and with ours, and looks on which axis the curve lands.
//   node viz.js ADDRESS FOLDER    the folder has official.json, ours.json and paceline.json, and gets the screenshots
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, launch, open } from "./browser.js";

const [address, dir] = process.argv.slice(2);
const browser = await launch();

// look gives the text of the agentic report and what its points say.
async function look(name, query = "") {
  const bundle = readFileSync(join(dir, `${name}.json`));
  const { page, faults } = await open(browser, `${address}#nav=model.agentic${query}`, { width: 1400, height: 1000, replies: { "/cli-data.json": bundle } });
  await page.waitForNetworkIdle({ idleTime: 500 });
  await page.screenshot({ path: join(dir, `${name}${query.replace(/\W/g, "-")}.png`) });
  const seen = await page.evaluate(() => ({
    text: document.body.innerText.replace(/\s+/g, " "),
    points: [...document.querySelectorAll("svg [aria-label]")].map((e) => e.getAttribute("aria-label")).filter((t) => /E2E Average Interactivity: /.test(t)),
  }));
  await page.close();
  return { ...seen, faults: faults.filter((f) => !/asks for https|Failed to load resource/.test(f)) }; // fonts and analytics, which are not fetched
}

const official = await look("official");
check("the visualizer's own data put no curve on the agentic axis", official.text.includes("No agentic results yet"), official.text.slice(-400));
const ours = await look("ours");
check("ours do: E2E Average Interactivity", /E2E Average Interactivity \(Tokens\/s per User\)/.test(ours.text), ours.text.slice(-400));
check("with seven points", ours.points.length === 7, ours.points);
check("and the power of the system", ours.text.includes("9.9 kW provisioned power"), ours.text.slice(-900));
check("nothing calls a local file verified", !/verified by MLCommons/.test(ours.text) && ours.text.includes("provisional"), ours.text.slice(-900));
check("the page throws nothing", ours.faults.length === 0, ours.faults);
const perKW = await look("ours", "&norm=kw");
check("the page shows it per kW too", perKW.text.includes("System Throughput per kW"), perKW.text.slice(-900));
const paceline = await look("paceline");
check("a curve that Paceline measured is called so in the chart's own footnote", paceline.text.includes("sample (client: Paceline)"), paceline.text.slice(-900));
check("with seven points", paceline.points.length === 7, paceline.points);
await browser.close();
