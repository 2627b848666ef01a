import { expect, test } from "vitest";
import { commandsOf, type Entry } from "./consoleLog";

const entry = (command: string): Entry => ({
  command,
  at: "2026-03-01T12:00:00Z",
  answer: "",
  truncated: false,
  error: null,
});

test("a command that was repeated is offered once", () => {
  const entries = ["status", "status", "users", "status"].map(entry);
  expect(commandsOf(entries)).toEqual(["status", "users", "status"]);
});
