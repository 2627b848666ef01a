import { useQuery } from "@tanstack/react-query";
import { api, body, type Schemas } from "../../api/client";
import { useRead } from "../../api/useRead";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";

/** The largest page that the service serves. */
const ALL = { page: 1, size: 100 };

export interface CurrencyChoice {
  id: number;
  code: string;
  /** The smallest amount of an invoice; null if the person may not see it. */
  minimum: number | null;
}

/** The currencies. Those who may not read them know the ones that invoices have. */
export function useCurrencies(): CurrencyChoice[] {
  const canRead = useCan("admin.currencies.read");
  const { data } = useQuery({
    queryKey: ["currencies", "choices", canRead],
    queryFn: canRead ? listed : ofInvoices,
  });
  return data ?? [];
}

async function listed(): Promise<CurrencyChoice[]> {
  const query = { page: ALL.page, limit: ALL.size };
  const { currencies } = await body(api.GET("/api/currencies", { params: { query } }));
  return currencies.map(({ id, code, minimum_value: minimum }) => ({ id, code, minimum }));
}

async function ofInvoices(): Promise<CurrencyChoice[]> {
  const query = { group_by: "currency" } as const;
  const { stats } = await body(api.GET("/api/payment-invoices/stats", { params: { query } }));
  return (stats.by_currency ?? []).map(({ currency_id: id, currency: code }) => ({
    id,
    code,
    minimum: null,
  }));
}

export function useGateways() {
  const params = { query: { page: ALL.page, per_page: ALL.size } };
  const { data } = useRead(["gateways", "choices"], () =>
    api.GET("/api/payment-gateways", { params }),
  );
  return data?.payment_gateways ?? [];
}

/** The name of a gateway, by the key that invoices have. */
export function useGatewayName(): (key: string) => string {
  const gateways = useGateways();
  const names = new Map(gateways.map(({ key, name }) => [key, name]));
  return (key) => names.get(key) ?? key;
}

/** The products, or none if the person may not read them. */
export function useProducts(): Schemas["ProductItem"][] {
  const mayRead = useCan("admin.products.read");
  const params = { query: { page: ALL.page, per_page: ALL.size } };
  const { data } = useRead(["products", "choices"], () => api.GET("/api/products", { params }), {
    enabled: mayRead,
  });
  return data?.products ?? [];
}

/** The game servers, or none if the person may not read them. */
export function useServers(): Schemas["ServerItem"][] {
  const mayRead = useCan("admin.servers.read");
  const params = { query: { page: ALL.page, per_page: ALL.size } };
  const { data } = useRead(["servers", "choices"], () => api.GET("/api/servers", { params }), {
    enabled: mayRead,
  });
  return data?.servers ?? [];
}

/** The name of a server. It is its number for those who may not read servers. */
export function useServerName(): (id: number) => string {
  const t = useText();
  const names = new Map(useServers().map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? t("products.steps.serverNumber", { id });
}
