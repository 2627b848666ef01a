import { expect, test } from "vitest";
import { Parser } from "./stream";

test("a message that arrives in pieces is put together", () => {
  const parser = new Parser();
  expect(parser.push(": hello\n\nid: 4\neve")).toEqual([]);
  expect(parser.push('nt: users.block\ndata: {"a":1}\n')).toEqual([]);
  expect(parser.push("\nid: 5\r\ndata: x\r\ndata: y\r\n\r\n")).toEqual([
    { id: "4", data: '{"a":1}' },
    { id: "5", data: "x\ny" },
  ]);
});
