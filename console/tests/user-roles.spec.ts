import { findings } from "./axe";
import { newRole, type Role } from "./roles";
import { expect, type Steward, test } from "./support";

interface Held {
  roles: { id: number; name: string; expires_at: string | null }[];
}

const DAY_MS = 86_400_000;

/** The end of a role that the user holds. Fails if they do not hold it. */
async function endOf(steward: Steward, user: number, role: Role): Promise<string | null> {
  const { roles } = await steward.read<Held>(`/api/users/${user}/roles`);
  const held = roles.find(({ id }) => id === role.id);
  if (held === undefined) {
    throw new Error(`the user does not hold ${role.name}`);
  }
  return held.expires_at;
}

/** In how many days a role ends, rounded. */
async function daysOf(steward: Steward, user: number, role: Role): Promise<number> {
  return Math.round((Date.parse((await endOf(steward, user, role)) ?? "") - Date.now()) / DAY_MS);
}

async function give(steward: Steward, user: number, role: Role, days: number | null) {
  const expires_at = days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString();
  await steward.api("PUT", `/api/users/${user}/roles/${role.id}`, { expires_at });
}

test(
  "a role is given for 30 days, extended, and both are undone",
  { tag: "@core" },
  async ({ page, steward }) => {
    const role = await newRole(steward);
    const { id, username } = await steward.addUser("term");
    await page.goto(steward.url(`/users/${id}`));
    const panel = page.getByRole("region", { name: "Roles", exact: true });
    const undo = page.getByRole("button", { name: "Undo" });
    const dialog = page.getByRole("dialog");
    const giveRole = async () => {
      await panel.getByRole("button", { name: "Give a role" }).click();
      await dialog.getByRole("combobox", { name: "Role" }).click();
      await page.getByRole("option", { name: role.name, exact: true }).click();
    };

    await giveRole();
    await expect(dialog.getByRole("button", { name: "30 days", pressed: true })).toBeVisible();
    await dialog.getByRole("button", { name: "Give a role" }).click();
    await expect(page.getByText(`${username} has the role ${role.name}`)).toBeVisible();
    await expect(panel.getByText("(30 days)")).toBeVisible();
    expect(await daysOf(steward, id, role)).toBe(30);
    await undo.click();
    await expect(panel.getByText("This user has no roles.")).toBeVisible();

    await giveRole();
    await dialog.getByRole("button", { name: "7 days" }).click();
    await dialog.getByRole("button", { name: "Give a role" }).click();
    await expect(panel.getByText("(7 days)")).toBeVisible();
    await panel.getByRole("button", { name: `Actions for ${role.name}` }).click();
    await page.getByRole("menuitem", { name: "Extend by 30 days" }).click();
    await expect(panel.getByText("(37 days)")).toBeVisible();
    expect(await daysOf(steward, id, role)).toBe(37);
    await undo.last().click();
    await expect(panel.getByText("(7 days)")).toBeVisible();

    await panel.getByRole("button", { name: `Actions for ${role.name}` }).click();
    await page.getByRole("menuitem", { name: "Extend by another time…" }).click();
    await dialog.getByLabel("Days").fill("0");
    await dialog.getByRole("button", { name: "Extend" }).click();
    await expect(dialog.getByLabel("Days")).toHaveAttribute("aria-invalid", "true");
    await dialog.getByLabel("Days").fill("5");
    await dialog.getByRole("button", { name: "Extend" }).click();
    await expect(panel.getByText("(12 days)")).toBeVisible();
  },
);

test(
  "the end of a role is changed, and one in the past is refused",
  { tag: "@core" },
  async ({ page, steward }) => {
    const role = await newRole(steward);
    const { id } = await steward.addUser("term");
    await give(steward, id, role, null);
    await page.goto(steward.url(`/users/${id}`));
    const panel = page.getByRole("region", { name: "Roles", exact: true });
    const dialog = page.getByRole("dialog");
    const menu = async (item: string) => {
      await panel.getByRole("button", { name: `Actions for ${role.name}` }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await expect(panel.getByText(role.name)).toHaveText(role.name);

    await menu("Change the end…");
    await dialog.getByRole("button", { name: "Until…" }).click();
    await dialog.getByLabel("Expires", { exact: true }).fill("2020-01-01T12:00");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText("Must be in the future.")).toBeVisible();
    await dialog.getByLabel("Expires", { exact: true }).fill("2099-01-01T12:00");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(panel.getByText("until 1 January 2099")).toBeVisible();
    expect(await endOf(steward, id, role)).toBe("2099-01-01T11:00:00Z");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => endOf(steward, id, role)).toBeNull();
    await expect(panel.getByText("until 1 January 2099")).toBeHidden();

    // What expires soon has other words, and the exact time on hover.
    await give(steward, id, role, 2);
    const chip = panel.getByText("expires soon:");
    await expect(chip).toContainText("(2 days)");
    await chip.hover();
    await expect(page.getByRole("tooltip")).toContainText(/As it was · \w+day/);
    await menu("Change the end…");
    await dialog.getByRole("button", { name: "Forever" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toBeHidden();
    await expect(chip).toBeHidden();
    expect(await endOf(steward, id, role)).toBeNull();
  },
);

test(
  "a role is removed and given back, and the history tells both",
  { tag: "@core" },
  async ({ page, steward }) => {
    const role = await newRole(steward);
    const { id } = await steward.addUser("term");
    await give(steward, id, role, 20);
    const end = await endOf(steward, id, role);
    await page.goto(steward.url(`/users/${id}`));
    const panel = page.getByRole("region", { name: "Roles", exact: true });
    const history = page.getByRole("region", { name: "History of roles" });
    const entries = history.getByRole("listitem");
    await expect(entries).toHaveCount(1);
    await expect(entries.first()).toContainText("Held");
    await expect(entries.first()).toContainText("Operator or API");

    await panel.getByRole("button", { name: `Actions for ${role.name}` }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await expect(panel.getByText("This user has no roles.")).toBeVisible();
    await expect(entries.first()).toContainText("Removed");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(panel.getByText("(20 days)")).toBeVisible();
    expect(await endOf(steward, id, role)).toBe(end);
    await expect(entries).toHaveCount(2);
    await expect(entries.first()).toContainText("Held");

    await steward.api("DELETE", `/api/roles/${role.id}`);
    await expect(entries.first()).toContainText("Role deleted");
    const activity = page.getByRole("region", { name: "Activity" });
    await expect(activity).toContainText(`took the role ${role.name} from user`);
  },
);

test("a long history of roles is read part by part", async ({ page, steward }) => {
  const role = await newRole(steward);
  const { id } = await steward.addUser("term");
  for (let times = 0; times < 7; times += 1) {
    await give(steward, id, role, 20);
    await steward.api("DELETE", `/api/users/${id}/roles/${role.id}`);
  }
  await page.goto(steward.url(`/users/${id}`));
  const history = page.getByRole("region", { name: "History of roles" });
  await expect(history.getByRole("listitem")).toHaveCount(5);
  await history.getByRole("button", { name: "Show more" }).click();
  await expect(history.getByRole("listitem")).toHaveCount(7);
  await expect(history.getByRole("button", { name: "Show more" })).toBeHidden();
});

test(
  "a role that another client took away is not extended",
  { tag: "@core" },
  async ({ page, steward }) => {
    const role = await newRole(steward);
    const { id } = await steward.addUser("term");
    await give(steward, id, role, 20);
    await page.goto(steward.url(`/users/${id}`));
    const panel = page.getByRole("region", { name: "Roles", exact: true });
    await panel.getByRole("button", { name: `Actions for ${role.name}` }).click();
    // The page does not hear of it before the menu is used.
    await page.route("**/api/users/*/roles/*/extend", async (route) => {
      await steward.api("DELETE", `/api/users/${id}/roles/${role.id}`);
      await route.continue();
    });
    await page.getByRole("menuitem", { name: "Extend by 7 days" }).click();
    await expect(page.getByRole("alert")).toContainText("changed");
    await expect(panel.getByText("This user has no roles.")).toBeVisible();
  },
);

test("the members of a role are sorted by its end, and the list of users has it, too", async ({
  page,
  steward,
}) => {
  const role = await newRole(steward);
  const [endless, later, soon] = await Promise.all([1, 2, 3].map(() => steward.addUser("member")));
  await give(steward, endless?.id ?? 0, role, null);
  await give(steward, later?.id ?? 0, role, 40);
  await give(steward, soon?.id ?? 0, role, 1);
  await page.goto(steward.url(`/roles/${role.id}`));
  const members = page.getByRole("region", { name: "Members" });
  await expect(members).toContainText("Those whose role expires next come first.");
  const links = members.getByRole("listitem").getByRole("link");
  await expect(links).toContainText([
    new RegExp(`${soon?.username}.*expires soon: .*\\((1 day|24 hours)\\)`),
    new RegExp(`${later?.username}.*until .*\\(40 days\\)`),
    endless?.username ?? "",
  ]);
  await members.getByRole("link", { name: "Show all" }).click();
  const row = page.getByRole("row", { name: later?.username });
  await expect(row).toContainText(/until \d+ \w+/);
  await expect(page.getByRole("row", { name: soon?.username })).toContainText("expires in ");
});

test("more members than one page has are not sorted, and the page says so", async ({
  page,
  steward,
}) => {
  const role = await newRole(steward);
  const read = (part: number) =>
    steward.read<{ users: { id: number }[] }>(`/api/users?per_page=100&page=${part}`);
  const ids = (await Promise.all([1, 2].map(read))).flatMap(({ users }) => users);
  const body = { ids: ids.slice(0, 101).map(({ id }) => id), add_roles: [role.id] };
  await steward.api("POST", "/api/users/bulk", body);
  await page.goto(steward.url(`/roles/${role.id}`));
  const members = page.getByRole("region", { name: "Members" });
  await expect(members).toContainText("The first 100 of 101 members, not sorted by");
  await expect(members.getByRole("listitem")).toHaveCount(8);
  await members.getByRole("button", { name: "Show more" }).click();
  await expect(members.getByRole("listitem")).toHaveCount(100);
  await steward.api("DELETE", `/api/roles/${role.id}`);
});

test(
  "a person who only reads users sees the roles and no buttons",
  { tag: "@core" },
  async ({ steward }) => {
    const role = await newRole(steward);
    const { id } = await steward.addUser("term");
    await give(steward, id, role, 12);
    const { page } = await steward.operator({ permissions: ["admin.users.read"] });
    await page.goto(steward.url(`/users/${id}`));
    const panel = page.getByRole("region", { name: "Roles", exact: true });
    await expect(panel.getByText("(12 days)")).toBeVisible();
    await expect(panel.getByRole("button")).toHaveCount(0);
    await expect(page.getByRole("region", { name: "History of roles" })).toContainText(role.name);
  },
);

test("the dialog that gives a role can be used by everybody, on a phone and in the dark", async ({
  steward,
}) => {
  const role = await newRole(steward);
  const { id } = await steward.addUser("term");
  await give(steward, id, role, 2);
  const page = await steward.page({
    viewport: { width: 320, height: 640 },
    colorScheme: "dark",
    locale: "ru-RU",
    reducedMotion: "reduce",
  });
  await page.goto(steward.url(`/users/${id}`));
  await expect(page.getByText("скоро истекает:")).toContainText("(2 дня)");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Выдать роль" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "До даты…" }).click();
  expect(await findings(page)).toEqual([]);
  const overflow = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  await expect.poll(overflow).toBe(0);
});
