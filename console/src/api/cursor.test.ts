import { expect, test } from "vitest";
import { nextCursor } from "./cursor";

test("the cursor is that of the next part", () => {
  const link = '</api/x?per_page=2>; rel="first", </api/x?per_page=2&after=1_5>; rel="next"';
  expect(nextCursor(link)).toBe("1_5");
});

test("after the last part there is none", () => {
  expect(nextCursor(null)).toBeNull();
  expect(nextCursor('</api/x?after=3>; rel="prev"')).toBeNull();
});
