// @vitest-environment happy-dom
import { getSchema } from "@tiptap/core";
import { expect, test } from "vitest";
import { readHtml, writeHtml } from "./document";
import { lossesOf } from "./losses";
import { EXTENSIONS } from "./schema";

const schema = getSchema(EXTENSIONS);
const written = (html: string) => writeHtml(readHtml(html, schema));

/** What the visual editor writes exactly as it was. */
test.each([
  "",
  "Only words",
  'Words and <strong>more</strong> <a href="/rules">words</a>',
  "<p>One</p>\n<p>Two &amp; three&nbsp;four</p>",
  '<h2 id="rules" class="big">Rules</h2>\n<p class="lead">Be <b>kind</b> and <i>calm</i></p>',
  "<p><strong>a</strong> <b>b</b> <em>c</em> <i>d</i> <u>e</u> <s>f</s> <del>g</del> <code>h</code></p>",
  '<p><a target="_blank" rel="noopener" class="button" href="https://example.org">x</a></p>',
  '<p><a href="mailto:us@example.org"><strong><code>x</code></strong></a></p>',
  "<p>One<br>two</p>",
  "<ul>\n  <li>One</li>\n  <li>Two</li>\n</ul>",
  "<ul>\n  <li>\n    <p>One</p>\n  </li>\n</ul>",
  '<ol start="3" type="a">\n  <li>\n    One\n    <ul>\n      <li>Two</li>\n    </ul>\n  </li>\n</ol>',
  "<blockquote>\n  <p>One</p>\n</blockquote>",
  "<blockquote>One</blockquote>",
  '<pre><code class="language-ini">a = 1\n\n  b = 2</code></pre>',
  "<p>One</p>\n<hr>\n<p>Two</p>",
  '<img src="https://example.org/a.png" alt="" width="10">\n<p>x</p>',
  '<p><a href="/"><img class="wide" src="/a.png" alt="A"></a></p>',
  "<table>\n  <thead>\n    <tr>\n      <th>A</th>\n    </tr>\n  </thead>\n  <tbody>\n    <tr>\n      <td>1</td>\n    </tr>\n  </tbody>\n</table>",
  '<table>\n  <tbody>\n    <tr>\n      <th>A</th>\n      <td colspan="2">1</td>\n    </tr>\n  </tbody>\n</table>',
])("%j is written as it was read", (html) => {
  expect(written(html)).toBe(html);
  expect(lossesOf(html, schema)).toBeNull();
});

/** What means the same to every browser. */
test.each([
  "<p>One</p><p>Two</p>",
  "\n<p>a\n   b</p>\n\n",
  '<p class="a" id="b">x</p>',
  "<p><em><strong>x</strong></em></p>",
  "<p><strong>x</strong><strong>y</strong></p>",
  "<ul><li>One<li>Two</ul>",
  "<P>One</P>",
  "<p>&lt;&#8212;&gt;</p>",
])("%j is kept in meaning", (html) => {
  expect(lossesOf(html, schema)).toBeNull();
});

test.each([
  ["<my-card>x</my-card>", ["<my-card>"]],
  ["<div><p>x</p></div>", ["<div>"]],
  ['<p style="color: red">x</p>', ["style"]],
  ['<p onclick="go()">x</p>', ["onclick"]],
  ["<p>x</p><script>go()</script>", ["<script>"]],
  ["<style>p { color: red }</style><p>x</p>", ["<style>"]],
  ['<form action="/x"><input name="a"></form>', ["<form>", "action", "<input>", "name"]],
  ['<p><span class="icon"></span>x</p>', ["<span>", "class"]],
  ['<p><i class="icon"></i>x</p>', ["<i>", "class"]],
  ['<p><strong class="red">x</strong></p>', ["class"]],
  ['<p data-x="1">x</p>', ["data-x"]],
  ["<p>x</p><!-- note -->", ["<!-- -->"]],
  ['<p><a href="javascript:go()">x</a></p>', ["<a>", "href"]],
  ['<p><a href=" java&#10;script:go()">x</a></p>', ["<a>", "href"]],
  ['<p><a id="here"></a>x</p>', ["<a>", "id"]],
  ["<details><summary>a</summary>b</details>", ["<details>", "<summary>"]],
  ['<iframe src="https://example.org"></iframe>', ["<iframe>", "src"]],
  ["<p>H<sub>2</sub>O</p>", ["<sub>"]],
  ["<table><caption>c</caption><tr><td>1</td></tr></table>", ["<caption>"]],
  ["<template><p>x</p></template>", ["<template>"]],
  ['<ol start="1"><li>x</li></ol>', ["start"]],
])("%s is not kept: %j", (html, names) => {
  expect(lossesOf(html, schema)).toEqual(expect.arrayContaining(names));
});

test.each([
  "<table><tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></tbody></table>",
  "<li><h3>x</h3></li>",
  "<pre>x</pre>",
  "<strong><p>x</p></strong>",
])("%j would be changed", (html) => {
  expect(lossesOf(html, schema)).not.toBeNull();
});
