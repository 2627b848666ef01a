import type { Page } from "@playwright/test";
import { expect, test } from "./support";

interface Invoice {
  id: number;
  amount: number;
  original_amount: number;
  is_paid: boolean;
  transaction_id: string | null;
  user_id: number;
}

type Api = <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;

/** The number of what a test creates, so that no two of them have the same name. */
let count = 0;
const unique = (prefix: string) => `${prefix}${Date.now().toString(36)}${(count += 1)}`;

async function newInvoice(api: Api, amount = 12.5): Promise<Invoice> {
  const { users } = await api<{ users: { id: number }[] }>("GET", "/api/users?per_page=1");
  const { currencies } = await api<{ currencies: { id: number; code: string }[] }>(
    "GET",
    "/api/currencies",
  );
  const currency = currencies.find(({ code }) => code === "EUR") ?? currencies[0];
  const { payment_invoice } = await api<{ payment_invoice: Invoice }>(
    "POST",
    "/api/payment-invoices",
    { user_id: users[0]?.id, gateway: "card", amount, currency_id: currency?.id },
  );
  return payment_invoice;
}

async function read(api: Api, id: number): Promise<Invoice> {
  return (await api<{ payment_invoice: Invoice }>("GET", `/api/payment-invoices/${id}`))
    .payment_invoice;
}

const dialog = (page: Page) => page.getByRole("dialog");

test.describe("invoices", () => {
  test("the list has totals, a filter by state, and keeps both in the address", async ({
    page,
    steward,
  }) => {
    await page.goto(steward.url("/invoices"));
    await expect(page.getByRole("heading", { name: "Invoices", level: 1 })).toBeVisible();
    await expect(page.getByText("Sum in EUR")).toBeVisible();
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "Failed" }).click();
    await expect(page).toHaveURL(/failed/);
    await expect(page.getByRole("row").nth(1).getByText("Failed")).toBeVisible();
    await page.reload();
    await expect(page.getByRole("row").nth(1).getByText("Failed")).toBeVisible();
  });

  test("filters that the statistics do not know give the sum of the page", async ({
    page,
    steward,
  }) => {
    const filter = encodeURIComponent(JSON.stringify({ gateway: "card" }));
    await page.goto(steward.url(`/invoices?filter=${filter}`));
    await expect(page.getByText(/Sum of this page in/).first()).toBeVisible();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("button", { name: "Fewer filters" }).click();
    await expect(page.getByRole("combobox", { name: "Currency" })).toHaveCount(0);
    await page.getByRole("button", { name: "More filters" }).click();
    await expect(page.getByRole("combobox", { name: "Currency" })).toBeVisible();
  });

  test(
    "an invoice is paid with a transaction id, and marked as unpaid again",
    { tag: "@core" },
    async ({ page, steward }) => {
      const { id } = await newInvoice(steward.api.bind(steward));
      const transaction = unique("tx-");
      await page.goto(steward.url(`/invoices/${id}`));
      await page.getByRole("button", { name: "Mark as paid" }).click();
      await dialog(page).getByRole("textbox", { name: "Transaction id" }).fill(transaction);
      await dialog(page).getByRole("button", { name: "Mark as paid" }).click();
      await expect(page.getByRole("button", { name: "Mark as unpaid" })).toBeVisible();
      const paid = await read(steward.api.bind(steward), id);
      expect(paid).toMatchObject({ is_paid: true, transaction_id: transaction });

      await page.getByRole("button", { name: "Mark as unpaid" }).click();
      await dialog(page).getByRole("button", { name: "Mark as unpaid" }).click();
      await expect(page.getByRole("button", { name: "Mark as paid" })).toBeVisible();
      const unpaid = await read(steward.api.bind(steward), id);
      expect(unpaid).toMatchObject({ is_paid: false, transaction_id: transaction });

      await page.getByRole("button", { name: "Undo" }).click();
      await expect(page.getByRole("button", { name: "Mark as unpaid" })).toBeVisible();
      const again = await read(steward.api.bind(steward), id);
      expect(again).toMatchObject({ is_paid: true, transaction_id: transaction });
    },
  );

  test("an invoice fails with a reason", { tag: "@core" }, async ({ page, steward }) => {
    const { id, user_id: user } = await newInvoice(steward.api.bind(steward));
    await page.goto(steward.url(`/invoices/${id}`));
    await page.getByRole("button", { name: "Mark as failed" }).click();
    await dialog(page).getByRole("textbox", { name: "Reason" }).fill("The card was declined");
    await dialog(page).getByRole("button", { name: "Mark as failed" }).click();
    // The text field of the dialog has the same text.
    await expect(dialog(page)).toBeHidden();
    await expect(page.getByText("The card was declined")).toBeVisible();
    const { payment_invoices: failed } = await steward.read<{ payment_invoices: Invoice[] }>(
      `/api/payment-invoices?status=failed&user_id=${user}&per_page=100`,
    );
    expect(failed.map((invoice) => invoice.id)).toContain(id);
  });

  test(
    "an unpaid invoice is deleted from the list",
    { tag: "@core" },
    async ({ page, steward }) => {
      const { id } = await newInvoice(steward.api.bind(steward));
      await page.goto(steward.url("/invoices"));
      await page.getByRole("button", { name: `Actions for #${id}` }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await dialog(page).getByRole("button", { name: "Delete" }).click();
      await expect(dialog(page)).toBeHidden();
      await expect(read(steward.api.bind(steward), id)).rejects.toThrow();
    },
  );

  test(
    "a paid invoice is not deleted, and the reason is explained",
    { tag: "@core" },
    async ({ page, steward }) => {
      const { id } = await newInvoice(steward.api.bind(steward));
      await steward.api("PUT", `/api/payment-invoices/${id}/status`, { is_paid: true });
      await page.goto(steward.url(`/invoices/${id}`));
      await page.getByRole("button", { name: "Delete" }).click();
      await expect(dialog(page).getByText(/Paid invoices cannot be deleted/)).toBeVisible();
      expect((await read(steward.api.bind(steward), id)).is_paid).toBe(true);
    },
  );

  test(
    "an invoice is created with the discount of a promo code",
    { tag: "@core" },
    async ({ page, steward }) => {
      const code = unique("SALE").toUpperCase();
      await steward.api("POST", "/api/promo-codes", { code, type: "percentage", value: 10 });
      const { users } = await steward.read<{ users: { username: string }[] }>(
        "/api/users?per_page=1",
      );
      const name = users[0]?.username ?? "";
      await page.goto(steward.url("/invoices/create"));
      await page.getByRole("combobox", { name: "User" }).fill(name);
      await page.getByRole("option", { name: new RegExp(`^${name} `) }).click();
      await page.getByRole("combobox", { name: "Gateway" }).click();
      await page.getByRole("option").first().click();
      await page.getByRole("combobox", { name: "Currency" }).click();
      await page.getByRole("option", { name: "EUR" }).click();
      await page.getByRole("textbox", { name: "Amount" }).fill("19,99");
      await page.getByRole("textbox", { name: "Promo code" }).fill(code);
      await expect(page.getByText("It applies: €2.00 off, €17.99 to pay.")).toBeVisible();
      await page.getByRole("button", { name: "Create" }).click();
      await expect(page).toHaveURL(/\/invoices\/\d+$/);
      const id = Number(/\d+$/.exec(page.url())?.[0]);
      const created = await read(steward.api.bind(steward), id);
      expect(created).toMatchObject({ original_amount: 19.99, amount: 17.99 });
    },
  );

  test("what is wrong with a new invoice is told at once, in both languages", async ({
    page,
    steward,
  }) => {
    // As on a new service.
    await page.route("**/api/currencies?*", (route) => route.fulfill({ json: { currencies: [] } }));
    await page.goto(steward.url("/invoices/create"));
    const nothing = page.getByRole("alert").filter({ hasText: "No currencies yet." });
    await expect(nothing.getByRole("link", { name: "New currency" })).toBeVisible();
    await page.getByRole("textbox", { name: "Amount" }).fill("9.99999");
    await page.getByRole("button", { name: "Create" }).click();
    await expect(page.getByText("at most 4 decimal places")).toBeVisible();
    await expect(page.getByText("This field is required.")).toHaveCount(3);
    await expect(nothing).toBeVisible();
    await expect(page.getByRole("combobox", { name: "User" })).toBeFocused();
    await page.unrouteAll();

    const russian = await steward.page({ locale: "ru-RU" });
    await russian.goto(steward.url("/promo-codes/create"));
    await russian.getByRole("spinbutton", { name: "Использований всего" }).fill("0");
    await russian.getByRole("button", { name: "Создать" }).click();
    await expect(russian.getByText("Обязательное поле.")).toHaveCount(2);
    await expect(russian.getByText("Введите целое число от 1 до")).toBeVisible();
  });

  test("the export saves what the filters leave", async ({ page, steward }) => {
    const filter = encodeURIComponent(JSON.stringify({ status: "paid" }));
    await page.goto(steward.url(`/invoices?filter=${filter}`));
    await page.getByRole("button", { name: "Export" }).click();
    const saved = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Export as CSV" }).click();
    expect((await saved).suggestedFilename()).toMatch(/^invoices-.+\.csv$/);
  });
});

test.describe("statistics", () => {
  test("the period and the currency are in the address", async ({ page, steward }) => {
    await page.goto(steward.url("/statistics"));
    await page.getByRole("button", { name: "365 days" }).click();
    await expect(page).toHaveURL(/days=365/);
    await page.getByRole("button", { name: "USD" }).click();
    await expect(page).toHaveURL(/currency=\d+/);
    await expect(page.getByRole("figure", { name: /in USD/ })).toBeVisible();
    await page.reload();
    await expect(page.getByRole("button", { name: "USD" })).toHaveAttribute("aria-pressed", "true");
  });
});

test.describe("currencies", () => {
  const code = () => `X${Math.random().toString(36).slice(2, 4).padEnd(2, "0").toUpperCase()}`;

  test("a currency is created, edited and deleted", async ({ page, steward }) => {
    const name = code();
    await page.goto(steward.url("/currencies/create"));
    await page.getByRole("textbox", { name: "Code" }).fill(name);
    await page.getByRole("textbox", { name: "Smallest amount" }).fill("0.5");
    await page.getByRole("textbox", { name: "Exchange rate" }).fill("0.0000000001");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("cell", { name, exact: true }).click();
    await page.getByRole("textbox", { name: "Smallest amount" }).fill("1.2345");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    const { currencies } = await steward.read<{
      currencies: { code: string; minimum_value: number; exchange_rate: number }[];
    }>("/api/currencies?limit=100");
    expect(currencies.find((one) => one.code === name)).toMatchObject({
      minimum_value: 1.2345,
      exchange_rate: 1e-10,
    });
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog(page).getByRole("button", { name: "Delete" }).click();
    await expect(page).toHaveURL(/\/currencies$/);
    await expect(page.getByRole("cell", { name, exact: true })).toBeHidden();
  });

  test("another currency becomes the default, and back", async ({ page, steward }) => {
    const isDefault = async (id: number) =>
      (await steward.read<{ currency: { is_default: boolean } }>(`/api/currencies/${id}`)).currency
        .is_default;
    const name = code();
    const { currency } = await steward.api<{ currency: { id: number } }>(
      "POST",
      "/api/currencies",
      { code: name, minimum_value: 0, exchange_rate: 1 },
    );
    await page.goto(steward.url("/currencies"));
    await page.getByRole("button", { name: `Make default: ${name}` }).click();
    await dialog(page).getByRole("button", { name: "Make default" }).click();
    await expect(dialog(page)).toBeHidden();
    expect(await isDefault(currency.id)).toBe(true);
    await expect(page).toHaveURL(/\/currencies$/);
    await steward.api("POST", "/api/currencies/1/default");
    await steward.api("DELETE", `/api/currencies/${currency.id}`);
  });

  test("one in use is not deleted, and leads to its invoices", async ({ page, steward }) => {
    await page.goto(steward.url("/currencies/2"));
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog(page).getByRole("button", { name: "Delete" }).click();
    await expect(dialog(page).getByRole("alert")).toContainText("invoices use it");
    await dialog(page).getByRole("link", { name: "Show the invoices" }).click();
    await expect(page).toHaveURL(/invoices\?filter=/);
  });
});

test.describe("gateways", () => {
  test(
    "a gateway is created, disabled, renamed and deleted",
    { tag: "@core" },
    async ({ page, steward }) => {
      const key = unique("gate-");
      const stored = async () => {
        const { payment_gateways: all } = await steward.read<{
          payment_gateways: { key: string; name: string; enabled: boolean }[];
        }>("/api/payment-gateways?per_page=100");
        return all.find((gateway) => gateway.key === key);
      };
      await page.goto(steward.url("/gateways/create"));
      await page.getByRole("textbox", { name: "Name" }).fill(`Gate ${key}`);
      await page.getByRole("textbox", { name: "Key" }).fill(key);
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("switch", { name: `Gate ${key} is enabled` }).click();
      await expect.poll(async () => (await stored())?.enabled).toBe(false);
      await page.getByRole("cell", { name: `Gate ${key}`, exact: true }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("Renamed");
      await page.getByRole("button", { name: "Save" }).click();
      await expect.poll(async () => (await stored())?.name).toBe("Renamed");
      await page.getByRole("button", { name: "Delete" }).click();
      await dialog(page).getByRole("button", { name: "Delete" }).click();
      await expect(page).toHaveURL(/\/gateways$/);
      expect(await stored()).toBeUndefined();
    },
  );

  test("one in use is not deleted", async ({ page, steward }) => {
    await page.goto(steward.url("/gateways/1"));
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog(page).getByRole("button", { name: "Delete" }).click();
    await expect(dialog(page).getByRole("alert")).toContainText("Disable it instead");
  });
});

test.describe("promo codes", () => {
  test(
    "a promo code is created, checked, changed and deleted",
    { tag: "@core" },
    async ({ page, steward }) => {
      const code = unique("CODE").toUpperCase();
      await page.goto(steward.url("/promo-codes/create"));
      await page.getByRole("textbox", { name: "Code" }).fill(code);
      await page.getByRole("textbox", { name: "Value" }).fill("12.5");
      await page.getByLabel("Uses in total").fill("50");
      await page.getByRole("button", { name: "Create" }).click();
      await expect(page.getByRole("heading", { name: code })).toBeVisible();
      await expect(page.getByText("0 of 50")).toBeVisible();

      await page.getByRole("textbox", { name: "Amount" }).fill("10");
      await page.getByRole("button", { name: "Check" }).click();
      await expect(page.getByText("It applies: 1.25 off, 8.75 to pay.")).toBeVisible();

      await page.getByRole("textbox", { name: "Smallest invoice" }).fill("20");
      await page.getByRole("button", { name: "Save" }).click();
      await expect(page.getByText("Saved", { exact: true })).toBeVisible();
      const { promo_codes: found } = await steward.read<{
        promo_codes: { value: number; max_usages: number; minimum_amount: number }[];
      }>(`/api/promo-codes?code=${code}`);
      expect(found[0]).toMatchObject({ value: 12.5, max_usages: 50, minimum_amount: 20 });

      await page.getByRole("button", { name: "Check" }).click();
      await expect(page.getByText(/It does not apply\./)).toBeVisible();

      await page.getByRole("button", { name: "Delete" }).click();
      await dialog(page).getByRole("button", { name: "Delete" }).click();
      await expect(page).toHaveURL(/\/promo-codes$/);
      const left = await steward.read<{ promo_codes: unknown[] }>(`/api/promo-codes?code=${code}`);
      expect(left.promo_codes).toEqual([]);
    },
  );
});
