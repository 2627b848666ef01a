import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { failureText } from "./failures";

const SOURCE = fileURLToPath(
  new URL("../../../../crates/webhook-client/src/failure.rs", import.meta.url),
);

test("every failure of a receiver is translated", () => {
  const messages = [...readFileSync(SOURCE, "utf8").matchAll(/#\[error\("(.+)"\)\]/g)].map(
    ([, message = ""]) => message,
  );
  expect(messages.length).toBeGreaterThan(5);
  expect(messages.filter((message) => failureText(message) === null)).toEqual([]);
});
