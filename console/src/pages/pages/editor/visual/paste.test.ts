// @vitest-environment happy-dom
import { getSchema } from "@tiptap/core";
import { DOMParser } from "@tiptap/pm/model";
import { expect, test } from "vitest";
import { inertHtml } from "../inert";
import { writeHtml } from "./document";
import { cleanPasted } from "./paste";
import { EXTENSIONS } from "./schema";

const schema = getSchema(EXTENSIONS);
/** What the visual editor writes once it is pasted into an empty page. */
const pasted = (html: string) =>
  writeHtml(DOMParser.fromSchema(schema).parse(inertHtml(cleanPasted(html)).content));

/** As Word 365 puts it on the clipboard, with fewer styles. */
const WORD = `<html xmlns:v="urn:schemas-microsoft-com:vml"
xmlns:o="urn:schemas-microsoft-com:office:office"
xmlns:w="urn:schemas-microsoft-com:office:word"
xmlns="http://www.w3.org/TR/REC-html40">
<head>
<meta http-equiv=Content-Type content="text/html; charset=utf-8">
<meta name=ProgId content=Word.Document>
<meta name=Generator content="Microsoft Word 15">
<link rel=File-List href="file:///C:/Users/anna/AppData/Local/Temp/msohtmlclip1/01/clip_filelist.xml">
<!--[if gte mso 9]><xml>
 <w:WordDocument><w:View>Normal</w:View></w:WordDocument>
</xml><![endif]-->
<style>
<!--
 /* Font Definitions */
 @font-face {font-family:"Cambria Math"; panose-1:2 4 5 3 5 4 6 3 2 4;}
 p.MsoNormal, li.MsoNormal {margin:0cm; font-size:11.0pt; font-family:"Calibri",sans-serif;}
-->
</style>
</head>
<body lang=EN-GB style='tab-interval:36.0pt;word-wrap:break-word'>
<!--StartFragment-->

<h1><span lang=EN-US style='font-size:20.0pt;mso-ansi-language:EN-US'>Rules of
the server<o:p></o:p></span></h1>

<p class=MsoNormal><b><span lang=EN-US style='color:red'>Be kind</span></b><span
lang=EN-US> and <i>calm</i>, <u>always</u>. See <a
href="https://example.org/rules"><span style='color:#0563C1;text-decoration:underline'>the
rules</span></a>.<o:p></o:p></span></p>

<p class=MsoNormal><o:p>&nbsp;</o:p></p>

<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol;mso-fareast-font-family:Symbol'><span
style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp;
</span></span></span><![endif]>No cheats<o:p></o:p></p>

<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span
style='font-family:"Courier New"'><span style='mso-list:Ignore'>o<span
style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>No scripts<o:p></o:p></p>

<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>·<span
style='font:7.0pt "Times New Roman"'>&nbsp; </span></span></span><![endif]>No insults<o:p></o:p></p>

<p class=MsoNormal>In this order:<o:p></o:p></p>

<p class=MsoListParagraph style='text-indent:-18.0pt;mso-list:l1 level1 lfo2'><![if !supportLists]><span
style='mso-bidi-font-family:Calibri'><span style='mso-list:Ignore'>1.<span
style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>Warning<o:p></o:p></p>

<table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0 style='border-collapse:collapse'>
 <tr style='mso-yfti-irow:0'>
  <td width=301 valign=top style='width:225.4pt;border:solid windowtext 1.0pt'>
  <p class=MsoNormal>Week<o:p></o:p></p>
  </td>
 </tr>
</table>

<p class=MsoNormal><!--[if gte vml 1]><v:shape id="p1"></v:shape><![endif]--><![if !vml]><img
width=200 height=100 src="file:///C:/Users/anna/clip_image002.jpg" v:shapes="p1"><![endif]></p>

<!--EndFragment-->
</body>
</html>`;

test("a text from Word becomes clean HTML", () => {
  expect(pasted(WORD).replace(/\s+/g, " ")).toBe(
    [
      "<h1>Rules of the server</h1>",
      '<p><strong>Be kind</strong> and <em>calm</em>, <u>always</u>. See <a href="https://example.org/rules">the rules</a>.</p>',
      "<ul> <li> No cheats <ul> <li>No scripts</li> </ul> </li> <li>No insults</li> </ul>",
      "<p>In this order:</p>",
      "<ol> <li>Warning</li> </ol>",
      "<table> <tbody> <tr> <td>Week</td> </tr> </tbody> </table>",
    ].join(" "),
  );
});

const FONT =
  "color: rgb(219, 222, 225); font-family: &quot;gg sans&quot;, &quot;Noto Sans&quot;, sans-serif; font-size: 16px; font-style: normal; font-weight: 400; text-align: left; white-space: break-spaces; background-color: rgb(49, 51, 56); text-decoration-style: initial; display: inline !important; float: none;";

/** As Chromium copies a message of Discord. */
const DISCORD = `<meta charset='utf-8'><span style="${FONT}">Server is </span><strong style="font-weight: 700; ${FONT.replace(
  "font-weight: 400; ",
  "",
)}"><span style="font-weight: inherit">up</span></strong><span style="${FONT}"> again <img aria-label="🎉" src="/assets/7b6ee3.svg" alt="🎉" draggable="false" class="emoji" data-type="emoji" data-id="🎉"> thanks to </span><span class="mention wrapper_f61d60 interactive" role="button" tabindex="0" style="color: rgb(201, 205, 251); background: rgba(88, 101, 242, 0.3);">@Anna</span><span style="${FONT}">
Join: </span><a class="anchor_edefb8 anchorUnderlineOnHover_edefb8" title="https://example.org" href="https://example.org/" rel="noreferrer noopener" target="_blank" role="button" tabindex="0" style="color: rgb(0, 168, 252); text-decoration: none;"><span>https://example.org</span></a><span style="${FONT}">
</span><code class="inline" style="font-family: monospace; background: rgb(43, 45, 49);">connect 203.0.113.9</code>`;

test("a message from Discord becomes clean HTML with its line breaks", () => {
  expect(pasted(DISCORD)).toBe(
    "<p>Server is <strong>up</strong> again 🎉 thanks to @Anna<br>" +
      'Join: <a href="https://example.org/">https://example.org</a><br>' +
      "<code>connect 203.0.113.9</code></p>",
  );
});

test("headings, lists and quotes from Discord stay", () => {
  const html = `<meta charset='utf-8'><div class="markup_c19a55 messageContent_c19a55" style="white-space: break-spaces; color: rgb(219, 222, 225);"><h2 style="font-weight: 700"><span style="font-weight: 700">Rules</span></h2>
<ul style="margin: 4px 0px 0px 16px;"><li style="white-space: break-spaces;"><span>No cheats</span></li><li><em>Be kind</em></li></ul>
<div class="blockquoteContainer_c19a55"><div class="blockquoteDivider_c19a55"></div><blockquote style="max-width: 90%;"><span>As agreed</span></blockquote></div>
<pre class="codeBlock"><code class="scrollbarGhostHairline hljs">a
  b</code></pre></div>`;
  expect(pasted(html)).toBe(
    "<h2>Rules</h2>\n<ul>\n  <li>No cheats</li>\n  <li><em>Be kind</em></li>\n</ul>\n" +
      "<blockquote>\n  <p>As agreed</p>\n</blockquote>\n<pre><code>a\n  b</code></pre>",
  );
});

test.each([
  ['<p onclick="go()">x</p>', "<p>x</p>"],
  ["<p>x<script>go()</script></p>", "<p>x</p>"],
  ['<p><a href="javascript:go()">x</a></p>', "<p>x</p>"],
  ['<p>x<img src="data:image/png;base64,AAAA"></p>', "<p>x</p>"],
  [
    '<p><img src="/a.png" alt="A" onerror="go()" class="c"></p>',
    '<p><img src="/a.png" alt="A"></p>',
  ],
  ['<b style="font-weight:normal"><p>x</p></b>', "<p>x</p>"],
  [
    '<span style="font-weight:700;font-style:italic">x</span>',
    "<p><strong><em>x</em></strong></p>",
  ],
  ['<span style="text-decoration:line-through">x</span>', "<p><s>x</s></p>"],
  ["<div>One</div><div>Two</div>", "<p>One</p>\n<p>Two</p>"],
  ["<p>&nbsp;</p><p>x</p>", "<p>x</p>"],
])("%s becomes %s", (html, clean) => {
  expect(pasted(html)).toBe(clean);
});

test("what was copied in the visual editor is pasted as it is", () => {
  const copied = '<p data-pm-slice="1 1 []" class="lead">x</p>';
  expect(cleanPasted(copied)).toBe(copied);
});
