// Fails if the JavaScript that is loaded before the dashboard is usable is larger than its budget.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const BUDGET = 315_000;
/** What `src/main.tsx` loads at once: the console, one language, and the page. */
const LOADED = ["assets/start.js", "assets/en.js", "assets/Dashboard.js"];
const dist = new URL("../dist/", import.meta.url).pathname;
const page = readFileSync(join(dist, "index.html"), "utf8");
const scripts = [...page.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, file]) => file);

const counted = new Set();
function count(file) {
  if (!counted.has(file)) {
    counted.add(file);
    const code = readFileSync(join(dist, file), "utf8");
    // Static imports only: `import"./x.js"`, `import{a}from"./x.js"` and `export*from"./x.js"`.
    for (const [, found] of code.matchAll(/(?:\bfrom|\bimport)\s*["'](\.[^"']+\.js)["']/g)) {
      count(relative(dist, join(dist, dirname(file), found)));
    }
  }
}

if (scripts.length === 0) {
  throw new Error("dist/index.html loads no script");
}
[...scripts, ...LOADED].forEach(count);
const sizes = [...counted].map((file) => ({
  file,
  bytes: readFileSync(join(dist, `${file}.gz`)).length,
}));
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
console.log(
  `JavaScript before the dashboard is usable: ${kilobytes(total)} of ${kilobytes(BUDGET)}`,
);
if (total > BUDGET) {
  for (const { file, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
    console.error(`  ${kilobytes(bytes)}  ${file}`);
  }
  process.exit(1);
}
