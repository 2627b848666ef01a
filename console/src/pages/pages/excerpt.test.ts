import { expect, test } from "vitest";
import { cut, excerpt } from "./excerpt";

test("a text that is too long ends after a whole word", () => {
  expect(cut("short", 20)).toBe("short");
  expect(cut("The servers restart every night", 20)).toBe("The servers restart…");
  expect(cut("x".repeat(30), 20)).toBe(`${"x".repeat(20)}…`);
});

test("tags, scripts and styles are no part of an excerpt", () => {
  expect(excerpt("<p>Fish &amp; <b>chips</b></p><p>Tea</p>", 100)).toBe("Fish & chips Tea");
  expect(excerpt("<style>p { color: red }</style><script>alert(1)</script>Hi", 100)).toBe("Hi");
  expect(excerpt("<p>&amp;lt;</p>", 100)).toBe("&lt;");
  expect(excerpt("<p class='x", 100)).toBe("");
});

test("a mark at the end of a word adds no space, a paragraph does", () => {
  const html = '<p>Be <b class="x">kind</b>, <a href="/r">always</a>.</p><p>Thanks</p>';
  expect(excerpt(html, 100)).toBe("Be kind, always. Thanks");
});
