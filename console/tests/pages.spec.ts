import type { Page as Tab } from "@playwright/test";
import { CONTRAST, findings } from "./axe";
import { background, DARK } from "./background";
import { expect, type Steward, test } from "./support";

interface Page {
  id: number;
  title: string;
  slug: string;
  content: string;
  meta_title: string;
  is_active: boolean;
}

interface Block {
  id: number;
  type: string;
  content: unknown;
}

async function newPage(
  steward: Steward,
  blocks: object[] = [],
  content = "<p>Hello</p>",
): Promise<Page> {
  const slug = steward.unique("page");
  const { page } = await steward.api<{ page: Page }>("POST", "/api/cms-pages", {
    title: `Title of ${slug}`,
    slug,
    content,
  });
  for (const block of blocks) {
    await steward.api("POST", `/api/cms-pages/${page.id}/blocks`, block);
  }
  return page;
}

async function readPage(steward: Steward, id: number): Promise<Page> {
  return (await steward.read<{ page: Page }>(`/api/cms-pages/${id}`)).page;
}

async function readBlocks(steward: Steward, id: number): Promise<Block[]> {
  return (await steward.read<{ blocks: Block[] }>(`/api/cms-pages/${id}/blocks`)).blocks;
}

const contents = async (steward: Steward, id: number) =>
  (await readBlocks(steward, id)).map(({ content }) => content);

const TEXTS = ["First", "Second", "Third"].map((content) => ({ type: "text", content }));

const saved = (tab: Tab) => tab.getByText("Saved", { exact: true });

const content = (tab: Tab) => tab.getByRole("textbox", { name: "Content" });

const button = (tab: Tab, name: string) => tab.getByRole("button", { name, exact: true });

/** Moves the caret to the end. The editor hears of it with the next frame, before a person's next key. */
async function moveToEnd(tab: Tab): Promise<void> {
  await content(tab).press("Control+End");
  await tab.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}

/** Pastes HTML, as a person does who copied it elsewhere. */
async function paste(tab: Tab, html: string): Promise<void> {
  await content(tab).evaluate((element, html) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/html", html);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    element.dispatchEvent(event);
  }, html);
}

test("a page is written in the visual editor, with the keyboard and the toolbar", async ({
  page,
  steward,
}) => {
  const one = await newPage(steward);
  await page.goto(steward.url(`/pages/${one.id}`));
  const toolbar = page.getByRole("toolbar", { name: "Formatting" });
  await expect(content(page)).toHaveText("Hello");

  // Undoing everything gives back the bytes that were loaded.
  await moveToEnd(page);
  await page.keyboard.type("!");
  await button(page, "Undo").click();
  await expect(button(page, "Save")).toHaveCount(0);

  // The toolbar is one stop for Tab; the arrow keys go along it.
  await toolbar.getByRole("combobox", { name: "Style of the paragraph" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(button(page, "Bold")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(content(page)).toBeFocused();

  await toolbar.getByRole("combobox", { name: "Style of the paragraph" }).click();
  await page.getByRole("option", { name: "Heading 2" }).click();
  await moveToEnd(page);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+b");
  await expect(button(page, "Bold")).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.type("Be kind");
  await page.keyboard.press("Control+b");
  await page.keyboard.press("Enter");
  await button(page, "Bulleted list").click();
  await expect(content(page)).toBeFocused();
  await page.keyboard.type("No cheats");
  await page.keyboard.press("Enter");
  await button(page, "Link").click();
  const link = page.getByRole("dialog", { name: "Link" });
  await link.getByLabel("Address of the link").fill("javascript:alert(1)");
  await expect(link.getByRole("button", { name: "Apply" })).toBeDisabled();
  await link.getByLabel("Address of the link").fill("/rules");
  await page.keyboard.press("Enter");
  await expect(content(page)).toBeFocused();
  await moveToEnd(page);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await button(page, "Image").click();
  const image = page.getByRole("dialog", { name: "Image" });
  await image.getByLabel("Address of the image").fill("https://example.org/a.png");
  await image.getByLabel("Description").fill("A map");
  await image.getByRole("button", { name: "Apply" }).click();
  await expect(content(page).getByRole("img", { name: "A map" })).toBeVisible();
  await moveToEnd(page);
  await page.keyboard.press("Enter");
  await paste(
    page,
    '<meta charset="utf-8"><span style="font-weight: 700; color: red">Pasted</span>' +
      '<img src="https://example.org/x.png" onerror="alert(1)"><script>alert(1)</script>',
  );
  expect(await findings(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => background(page)).toBe(DARK);
  expect(await findings(page, CONTRAST)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 700 });
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth);
  await expect.poll(overflow).toBeLessThanOrEqual(320);

  await button(page, "Save").click();
  await expect(saved(page)).toBeVisible();
  expect((await readPage(steward, one.id)).content.split("\n")).toEqual([
    "<h2>Hello</h2>",
    "<p><strong>Be kind</strong></p>",
    "<ul>",
    "  <li>No cheats</li>",
    '  <li><a href="/rules">/rules</a></li>',
    "</ul>",
    '<p><img src="https://example.org/a.png" alt="A map"></p>',
    '<p><strong>Pasted</strong><img src="https://example.org/x.png"></p>',
  ]);
});

test("HTML that the visual editor would change stays code until the person agrees", async ({
  page,
  steward,
}) => {
  const html = '<DIV class="box"  style="color: red">\n<p>Hi</P></div><!-- end -->\n';
  const one = await newPage(steward, [], html);
  await page.goto(steward.url(`/pages/${one.id}`));
  await expect(page.getByText(/It would drop or change: .*<div>.*style/)).toBeVisible();
  await expect(page.getByRole("toolbar", { name: "Formatting" })).toHaveCount(0);
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("Another title");
  await button(page, "Use the visual editor anyway").click();
  await expect(content(page)).toHaveText("Hi");
  await button(page, "Save").click();
  await expect(saved(page)).toBeVisible();
  expect(await readPage(steward, one.id)).toMatchObject({ title: "Another title", content: html });

  await content(page).fill("Changed");
  await button(page, "Save").click();
  await expect.poll(async () => (await readPage(steward, one.id)).content).toBe("<p>Changed</p>");

  // What another client saves is checked as well.
  await steward.api("PUT", `/api/cms-pages/${one.id}`, { content: "<my-map></my-map>" });
  await expect(page.getByText(/It would drop or change: <my-map>/)).toBeVisible();
});

test("unbalanced tags are named, and saved only after a question", async ({ page, steward }) => {
  const one = await newPage(steward, TEXTS, "");
  await page.goto(steward.url(`/pages/${one.id}`));
  await button(page, "Code").click();
  await content(page).click();
  // No closing tag appears that would be typed a second time.
  await page.keyboard.type("<h2>No cheats</h2>\n<p>Be <b>kind</b>");
  await expect(content(page)).toHaveText("<h2>No cheats</h2><p>Be <b>kind</b>");
  await expect(page.getByText(/^Line \d/)).toHaveCount(0);
  await page.keyboard.type("</b>\n</h2>");
  await expect(page.getByText("Line 2: </b> closes nothing.")).toBeVisible();
  await expect(page.getByText("Line 3: </h2> closes nothing.")).toBeVisible();
  expect(await findings(page, CONTRAST)).toEqual([]);

  await button(page, "Save").click();
  const question = page.getByRole("dialog", { name: "Save with unbalanced tags?" });
  await expect(question).toContainText("Line 2: </b> closes nothing.");
  await question.getByRole("button", { name: "Cancel" }).click();
  expect((await readPage(steward, one.id)).content).toBe("");
  await page.getByRole("link", { name: "Navigation" }).click();
  const leaving = page.getByRole("dialog", { name: "Leave without saving?" });
  await leaving.getByRole("button", { name: "Save" }).click();
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(leaving).toHaveCount(0);
  await button(page, "Save").click();
  await question.getByRole("button", { name: "Save anyway" }).click();
  await expect(saved(page)).toBeVisible();
  const html = "<h2>No cheats</h2>\n<p>Be <b>kind</b></b>\n</h2>";
  expect((await readPage(steward, one.id)).content).toBe(html);

  await page.getByRole("button", { name: "Edit: Text: First" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit block" });
  await dialog.getByRole("textbox", { name: "Text" }).fill("<b>Open");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await question.getByRole("button", { name: "Save anyway" }).click();
  await expect(dialog).toHaveCount(0);
  expect((await contents(steward, one.id))[0]).toBe("<b>Open");
});

test("a new page suggests its address from the title", async ({ page, steward }) => {
  const name = steward.unique("Правила сервера");
  const slug = name.replace("Правила сервера", "pravila-servera");
  await page.goto(steward.url("/pages/create"));
  const title = page.getByRole("textbox", { name: "Title", exact: true });
  const address = page.getByRole("textbox", { name: "Address", exact: true });
  await title.fill(name);
  await expect(address).toHaveValue(slug);
  await address.fill(`${slug}/own`);
  await title.fill(`${name} 2`);
  await expect(address).toHaveValue(`${slug}/own`);
  await page.getByRole("textbox", { name: "Content" }).fill("Be kind");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect(page).toHaveURL(/\/pages\/\d+$/);

  const id = Number(page.url().split("/").at(-1));
  expect(await readPage(steward, id)).toMatchObject({
    title: `${name} 2`,
    slug: `${slug}/own`,
    content: "<p>Be kind</p>",
    is_active: true,
  });
});

test("a page is edited, and the search result is shown while typing", async ({ page, steward }) => {
  const one = await newPage(steward);
  await page.goto(steward.url(`/pages/${one.id}`));
  const result = page.getByRole("figure", { name: "Preview of the search result" });
  await expect(result).toContainText(one.title);
  await page.getByRole("textbox", { name: "Title for search engines" }).fill("x".repeat(70));
  await expect(result).toContainText("x…");
  await expect(page.getByText("70 characters: search engines show about 60")).toBeVisible();
  await page.getByRole("switch", { name: "Active" }).uncheck();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(saved(page)).toBeVisible();
  expect(await readPage(steward, one.id)).toMatchObject({
    meta_title: "x".repeat(70),
    is_active: false,
  });
});

test("an address that is taken is explained at its field", async ({ page, steward }) => {
  const [one, other] = [await newPage(steward), await newPage(steward)];
  await page.goto(steward.url(`/pages/${one.id}`));
  await page.getByRole("textbox", { name: "Address", exact: true }).fill(other.slug);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Has already been taken.")).toBeVisible();
});

test("the preview shows styles, and runs no script", async ({ page, steward }) => {
  const one = await newPage(steward);
  await steward.api("PUT", `/api/cms-pages/${one.id}`, {
    content:
      '<style>b { color: rgb(0, 128, 0) }</style><p style="color: rgb(255, 0, 0)">Red</p>' +
      '<b onclick="alert(1)">Green</b><script>document.body.textContent = "ran"</script>' +
      '<img src="/images/none.png" alt="A picture">',
  });
  await page.goto(steward.url(`/pages/${one.id}`));
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  const frame = page.frameLocator('iframe[title="Preview of the content"]');
  await expect(frame.getByText("Red")).toHaveCSS("color", "rgb(255, 0, 0)");
  await expect(frame.getByText("Green")).toHaveCSS("color", "rgb(0, 128, 0)");
  await expect(frame.getByText("ran")).toHaveCount(0);
});

test("blocks of each kind are added", async ({ page, steward }) => {
  const one = await newPage(steward);
  await page.goto(steward.url(`/pages/${one.id}`));
  const dialog = page.getByRole("dialog", { name: "New block" });
  const begin = async (kind: string) => {
    await page.getByRole("button", { name: "Add block" }).click();
    await dialog.getByRole("combobox", { name: "Kind" }).click();
    await page.getByRole("option", { name: kind, exact: true }).click();
  };
  const add = async () => {
    await dialog.getByRole("button", { name: "Add block" }).click();
    await expect(dialog).toHaveCount(0);
  };

  await begin("Text");
  await dialog.getByRole("textbox", { name: "Text" }).fill("Hi");
  await add();
  await begin("Image");
  await dialog.getByRole("textbox", { name: "Address of the image" }).fill("/a.png");
  await dialog.getByRole("textbox", { name: "Description" }).fill("A");
  await dialog.getByRole("textbox", { name: "Width" }).fill("wide");
  await dialog.getByRole("textbox", { name: "Height" }).fill("20");
  await dialog.getByRole("button", { name: "Add block" }).click();
  await expect(dialog.getByText("Enter a whole number, 0 or more.")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Width" }).fill("10");
  await add();
  await begin("Other");
  await dialog.getByRole("textbox", { name: "Type" }).fill("video");
  // Typed, not filled: the command behind `fill` copies the colour of what it replaces into a style,
  // which the page's policy refuses.
  const type = async (json: string) => {
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(json);
  };
  await dialog.getByRole("textbox", { name: "Content as JSON" }).focus();
  await type("{x");
  await expect(dialog.getByText(/^Not valid JSON/)).toBeVisible();
  await type('{"id":"x"}');
  await add();

  expect(await readBlocks(steward, one.id)).toMatchObject([
    { type: "text", content: "<p>Hi</p>" },
    { type: "image", content: { url: "/a.png", alt: "A", width: 10, height: 20 } },
    { type: "video", content: { id: "x" } },
  ]);
});

test("a block is edited and removed", async ({ page, steward }) => {
  const one = await newPage(steward, TEXTS);
  await page.goto(steward.url(`/pages/${one.id}`));
  await page.getByRole("button", { name: "Edit: Text: Second" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit block" });
  await dialog.getByRole("textbox", { name: "Text" }).fill("Changed");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(dialog).toHaveCount(0);
  expect(await contents(steward, one.id)).toEqual(["First", "Changed", "Third"]);

  await page.getByRole("button", { name: "Remove: Text: Changed" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await contents(steward, one.id)).toEqual(["First", "Third"]);
});

test("a block that another client changed is not overwritten", async ({ page, steward }) => {
  const one = await newPage(steward, TEXTS);
  const [first] = await readBlocks(steward, one.id);
  await page.goto(steward.url(`/pages/${one.id}`));
  await page.getByRole("button", { name: "Edit: Text: First" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit block" });
  await dialog.getByRole("textbox", { name: "Text" }).fill("Mine");
  await steward.api("PUT", `/api/cms-pages/${one.id}/blocks/${first?.id ?? 0}`, {
    content: "Theirs",
  });
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  expect((await contents(steward, one.id))[0]).toBe("Theirs");
});

test("blocks are sorted with the keyboard and the moves are announced", async ({
  page,
  steward,
}) => {
  const one = await newPage(steward, TEXTS);
  await page.goto(steward.url(`/pages/${one.id}`));
  const handle = page.getByRole("button", { name: "Move Text: Third" });
  await handle.focus();
  await page.keyboard.press("ArrowUp");
  await expect(page.getByText("Text: Third is now number 2 of 3.")).toBeAttached();
  await page.keyboard.press("ArrowUp");
  await expect(page.getByText("Text: Third is now number 1 of 3.")).toBeAttached();
  await expect.poll(() => contents(steward, one.id)).toEqual(["Third", "First", "Second"]);
  await page.getByRole("button", { name: "Move down: Text: First" }).click();
  await expect.poll(() => contents(steward, one.id)).toEqual(["Third", "Second", "First"]);
});

test("keys pressed faster than the page is drawn move a block by as many steps", async ({
  page,
  steward,
}) => {
  const one = await newPage(steward, TEXTS);
  await page.goto(steward.url(`/pages/${one.id}`));
  await page.getByRole("button", { name: "Move Text: Third" }).evaluate((handle) => {
    for (let press = 0; press < 2; press += 1) {
      handle.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
    }
  });
  await expect(page.getByText("Text: Third is now number 1 of 3.")).toBeAttached();
  await expect.poll(() => contents(steward, one.id)).toEqual(["Third", "First", "Second"]);
});

test("blocks are sorted by drag and drop", async ({ page, steward }) => {
  const one = await newPage(steward, TEXTS);
  await page.goto(steward.url(`/pages/${one.id}`));
  const list = page.getByRole("list", { name: "Blocks" });
  await page
    .getByRole("button", { name: "Move Text: First" })
    .dragTo(list.getByRole("listitem").last());
  await expect.poll(() => contents(steward, one.id)).toEqual(["Second", "Third", "First"]);
});

test("a page is deleted", async ({ page, steward }) => {
  const one = await newPage(steward);
  await page.goto(steward.url(`/pages/${one.id}`));
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Delete ${one.title}?` });
  await expect(dialog).toContainText("all its blocks will be lost");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page).toHaveURL(/\/pages$/);
  await expect(readPage(steward, one.id)).rejects.toThrow();
});
