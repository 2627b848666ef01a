import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { PAGES, RESOURCE_PAGES } from "./pages";

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");

interface Document {
  paths: Record<string, Record<string, { operationId?: string }>>;
}

const { paths } = JSON.parse(read("../../openapi.json")) as Document;
const operations = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId }) => (operationId === undefined ? [] : [operationId]));

/** Each operation, and where the console uses it. */
const rows = [...read("../operations.tsv").matchAll(/^(\w+)\t(.+)$/gm)].map(
  ([, operation = "", where = ""]) => ({ operation, where }),
);

test("the table has one row for every operation, and no other", () => {
  expect(operations.length).toBeGreaterThan(100);
  expect(rows.map(({ operation }) => operation).sort()).toEqual([...operations].sort());
});

test("every address in the table is one of a page", () => {
  const known = new Set([
    "/",
    "/sign-in",
    "/setup",
    ...PAGES.map(({ path }) => path),
    ...RESOURCE_PAGES.flatMap(({ name }) => [`/${name}`, `/${name}/create`, `/${name}/:id`]),
  ]);
  const unknown = rows.flatMap(({ operation, where }) =>
    [...where.matchAll(/`(\/[^`]*)`/g)]
      .filter(([, path = ""]) => !known.has(path))
      .map(([, path = ""]) => `${operation}: ${path}`),
  );
  expect(unknown).toEqual([]);
});

test("an operation without a page says why", () => {
  const silent = rows.filter(
    ({ where }) => !where.includes("`/") && !/^(Everywhere|Not used): .{10,}/.test(where),
  );
  expect(silent).toEqual([]);
});
