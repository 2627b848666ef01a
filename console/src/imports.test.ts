import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL(".", import.meta.url));

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
  /\.tsx?$/.test(file),
);

/** The files that a file imports when it is loaded; pages that are loaded later are none. */
function importsOf(file: string): string[] {
  const code = readFileSync(join(SRC, file), "utf8");
  return [...code.matchAll(/ from "(\.[^"]+)";$/gm)].flatMap(([, path = ""]) => {
    const target = normalize(join(dirname(file), path));
    const names = [`${target}.ts`, `${target}.tsx`, join(target, "index.ts")];
    return files.filter((one) => names.includes(one));
  });
}

test("no file imports itself through others", () => {
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) {
      circles.push([...path.slice(path.indexOf(file)), file].join(" > "));
    } else if (!done.has(file)) {
      imports.get(file)?.forEach((next) => visit(next, [...path, file]));
      done.add(file);
    }
  };
  files.forEach((file) => visit(file, []));
  expect(circles).toEqual([]);
});
