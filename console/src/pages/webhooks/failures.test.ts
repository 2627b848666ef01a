import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { failureText } from "./failures";

const SOURCES = ["http-client", "webhook-client"].map((crate) =>
  fileURLToPath(new URL(`../../../../crates/${crate}/src/failure.rs`, import.meta.url)),
);

test("every failure of a receiver is translated", () => {
  const sources = SOURCES.map((path) => readFileSync(path, "utf8")).join("\n");
  const messages = [...sources.matchAll(/#\[error\("(.+)"\)\]/g)].map(
    ([, message = ""]) => message,
  );
  expect(messages.length).toBeGreaterThan(5);
  expect(messages.filter((message) => failureText(message) === null)).toEqual([]);
});
