import { expect, test } from "vitest";
import { tagProblems } from "./tags";

const found = (html: string) =>
  tagProblems(html).map(({ line, tag, kind }) => `${line} ${tag} ${kind}`);

test.each([
  "",
  "a < b and 2<3",
  "<p>One</p>\n<p>Two<br>three</p>",
  "<ul><li>One<li>Two</ul><p>Three",
  '<img src="a.png"><input disabled><hr/>',
  '<a title="<b>">x</a>',
  "<!-- <b> --><p>x</p>",
  "<script>if (a < b) { document.write('<p>') }</script>",
  "<style>b > i { color: red }</style>",
  '<svg><path d="M0 0"/></svg>',
  "<DIV>x</div>",
  "<my-card><b>x</b></my-card>",
])("%j is balanced", (html) => {
  expect(found(html)).toEqual([]);
});

test("a tag that is not closed is found with its line", () => {
  expect(found("<h2>No cheats</h2>\n<p>Be <b>kind</p>\n<div>")).toEqual([
    "2 <b> unclosed",
    "3 <div> unclosed",
  ]);
});

test("a tag that closes nothing is found with its line", () => {
  expect(found("<h2>No cheats</h2>\n<p>Be <b>kind</b></p></b>\n</h2>")).toEqual([
    "2 </b> stray",
    "3 </h2> stray",
  ]);
});

test("tags that cross each other are found", () => {
  expect(found("<b><i>x</b></i>")).toEqual(["1 <i> unclosed", "1 </i> stray"]);
});

test("a tag and a script without an end are found", () => {
  expect(found("<p>x</p>\n<b")).toEqual(["2 <b unclosed"]);
  expect(found("<script>let a = 1;")).toEqual(["1 <script> unclosed"]);
});

test("the list ends, however many there are", () => {
  expect(found("</b>".repeat(100_000) + "<i>".repeat(1000))).toHaveLength(20);
});
