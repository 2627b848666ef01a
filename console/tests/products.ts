import { newRole } from "./roles";
import type { Steward } from "./support";

interface Named {
  id: number;
  name: string;
}

interface Product {
  id: number;
  name: string;
  /** The role that it gives. */
  role: Named;
  /** The currency that it is sold in. */
  currency: { id: number; code: string };
}

type Step = Record<string, unknown>;

/** The first currency that invoices can be written in. */
export async function currency(steward: Steward): Promise<{ id: number; code: string }> {
  const { currencies } = await steward.read<{ currencies: { id: number; code: string }[] }>(
    "/api/currencies",
  );
  const [first] = currencies;
  if (first === undefined) {
    throw new Error("the demo data has no currency");
  }
  return first;
}

/** Creates a server; by default nothing answers there. */
export async function addServer(steward: Steward, port = 9, password = "secret"): Promise<Named> {
  const body = {
    name: steward.unique("Arena"),
    ip: "127.0.0.1",
    port,
    game: "css",
    rcon_password: password,
  };
  return (await steward.api<{ server: Named }>("POST", "/api/servers", body)).server;
}

/** Creates a product that gives a role of its own for 30 days, and what these steps do. */
export async function addProduct(steward: Steward, steps: Step[] = []): Promise<Product> {
  const role = await newRole(steward);
  const sold = await currency(steward);
  const body = {
    name: steward.unique("VIP"),
    prices: [{ currency_id: sold.id, amount: 500 }],
    steps: [{ kind: "role", role_id: role.id, seconds: 2_592_000 }, ...steps],
  };
  const { product } = await steward.api<{ product: Named }>("POST", "/api/products", body);
  return { ...product, role, currency: sold };
}
