import { describe, expect, test } from "vitest";
import { ApiError } from "../api/error";
import { faultText, faultTexts } from "./faults";

type Fault = Parameters<typeof faultText>[0];

function russian(code: Fault["code"], params: Fault["params"] = {}): string {
  return faultText({ field: "name", code, params }, "must be right", "ru");
}

test("English is the sentence of the service", () => {
  const fault: Fault = { field: "name", code: "blank", params: {} };
  expect(faultText(fault, "must not be blank", "en")).toBe("Must not be blank.");
});

test("a password that is too short is told in characters", () => {
  const params = { min: 8, max: 1024, unit: "bytes" as const };
  const fault: Fault = { field: "password", code: "too_short", params };
  expect(faultText(fault, "must be 8 to 1024 bytes long", "en")).toBe(
    "Must have at least 8 characters.",
  );
});

test("a choice that is missing is told without ids and null", () => {
  const count: Fault = {
    field: "server_ids",
    code: "wrong_count",
    params: { min: 1, max: 50, items: "ids" },
  };
  expect(faultText(count, "must hold 1 to 50 ids", "en")).toBe("Choose 1 to 50.");
  expect(faultText(count, "must hold 1 to 50 ids", "ru")).toBe("Выберите от 1 до 50.");
  const none: Fault = { field: "role_id", code: "null_value", params: {} };
  expect(faultText(none, "must not be null", "en")).toBe("This field is required.");
});

test("a code that the console does not know yet reads as the sentence", () => {
  expect(russian("purple" as Fault["code"])).toBe("Must be right.");
});

test.each<[Fault["code"], Fault["params"], string]>([
  ["taken", {}, "Это значение уже занято."],
  ["too_long", { min: 0, max: 1, unit: "characters" }, "Длина — не больше 1 символа."],
  ["too_long", { min: 1, max: 64, unit: "characters" }, "Длина — от 1 до 64 символов."],
  ["too_short", { min: 8, max: 1024, unit: "bytes" }, "Длина — не меньше 8 символов."],
  ["too_long", { min: 8, max: 1024, unit: "bytes" }, "Длина — от 8 до 1024 байт."],
  ["too_short", { min: 3, unit: "characters" }, "Длина — не меньше 3 символов."],
  ["out_of_range", { min: 1, max: 65535 }, "Введите целое число от 1 до 65535."],
  ["not_an_integer", { min: 1 }, "Введите целое число не меньше 1."],
  ["wrong_count", { min: 1, max: 21, items: "actions" }, "В списке — от 1 до 21 действия."],
  [
    "wrong_count",
    { min: 0, max: 1000, items: "ids" },
    "В списке — не больше 1000 идентификаторов.",
  ],
  ["not_a_list", { items: "items" }, "Нужен список."],
  ["not_a_list", { items: "networks" }, "Нужен список сетей."],
  ["too_many_decimals", { max: 4 }, "После запятой — не больше 4 знаков."],
  [
    "wrong_characters",
    { allowed: "alphanumeric", min: 3, max: 3 },
    "Количество знаков — 3: буквы и цифры.",
  ],
  [
    "wrong_characters",
    { allowed: "word", min: 1, max: 32 },
    "Допустимо от 1 до 32 знаков: a-z, 0-9, _ и -.",
  ],
  ["not_one_of", { values: ["currency"] }, "Допустимо только currency."],
  ["not_one_of", { values: ["paid", "pending", "failed"] }, "Допустимо: paid, pending или failed."],
  [
    "forbidden_scheme",
    { schemes: ["http", "https"] },
    "Нужен относительный адрес или адрес, который начинается с http: или https:.",
  ],
  ["wrong_content", { block: "text", expected: "string" }, "Текстовый блок. Нужна строка."],
  ["unknown_id", { resource: "role" }, "Такой роли нет."],
  ["below_minimum", { amount: 10.5 }, "В этой валюте — не меньше 10.5."],
])("%s %o in Russian", (code, params, text) => {
  expect(russian(code, params)).toBe(text);
});

describe("the faults of a refused request", () => {
  const refusal = new ApiError(
    422,
    {
      code: "validation_failed",
      message: "The request is invalid.",
      request_id: "R1",
      errors: { name: ["must not be blank", "has already been taken"], color: ["is required"] },
      faults: [
        { field: "name", code: "blank", params: {} },
        { field: "name", code: "taken", params: {} },
        { field: "color", code: "required", params: {} },
      ],
    },
    null,
  );

  test("are joined by field", () => {
    expect(faultTexts(refusal, "en")).toEqual({
      name: "Must not be blank. Has already been taken.",
      color: "This field is required.",
    });
    expect(faultTexts(refusal, "ru")).toEqual({
      name: "Не может быть пустым. Это значение уже занято.",
      color: "Обязательное поле.",
    });
  });

  test("are none if the request was refused as a whole", () => {
    const whole = new ApiError(409, { code: "busy", message: "", request_id: "" }, null);
    expect(faultTexts(whole, "ru")).toEqual({});
  });
});
