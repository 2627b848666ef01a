import { expect, test } from "vitest";
import { Format } from "./format";
import { translate } from "./translate";

const english = new Format("en");
const russian = new Format("ru");
const TEXTS = {
  users: { found: "%{smart_count} user |||| %{smart_count} users", one: "User %{id}" },
  счёт: "%{smart_count} счёт |||| %{smart_count} счёта |||| %{smart_count} счетов",
};

test.each([
  [0, "0 users"],
  [1, "1 user"],
  [6000, "6,000 users"],
])("%d in English", (smart_count, text) => {
  expect(translate(TEXTS, english, "users.found", { smart_count })).toBe(text);
});

test.each([
  [1, "1 счёт"],
  [3, "3 счёта"],
  [11, "11 счетов"],
  [21, "21 счёт"],
])("%d in Russian", (smart_count, text) => {
  expect(translate(TEXTS, russian, "счёт", { smart_count })).toBe(text);
});

test("an id has no separators", () => {
  expect(translate(TEXTS, english, "users.one", { id: 6000 })).toBe("User 6000");
});

test("a key without a text gives what is to be said instead, or itself", () => {
  expect(translate(TEXTS, english, "users.none", { _: "Nobody" })).toBe("Nobody");
  expect(translate(TEXTS, english, "users", {})).toBe("users");
});
