import { api, body, type Schemas } from "../../api/client";
import { ApiError } from "../../api/error";
import type { Values } from "../../components/form/conflict";

type Place = Pick<Schemas["ServerItem"], "ip" | "port">;

/** The address that players connect to. IPv6 addresses stand in brackets before a port. */
export function addressOf({ ip, port }: Place): string {
  const host = String(ip);
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether a text may be an address: a host or an IP address, and maybe a port. */
export function isAddress(text: string): boolean {
  return /^(\[[0-9a-f:.]+\]|[^\s:/[\]]+)(:\d{1,5})?$/i.test(text) || /^[0-9a-f:.]+$/i.test(text);
}

/** The IP address that a host has now. The service asks, since the browser cannot. */
export function resolve(address: string): Promise<Schemas["ResolvedAddress"]> {
  return body(api.POST("/api/servers/resolve", { body: { address } }));
}

/**
 * What is stored for the values of a form: its field `address` becomes `ip` and `port`. Faults of
 * these are those of the field.
 */
export async function withPlace<T>(
  { address, ...rest }: Values,
  store: (values: Values) => Promise<T>,
): Promise<T> {
  try {
    if (address === undefined) {
      return await store(rest);
    }
    const { ip, port } = await resolve(typeof address === "string" ? address.trim() : "");
    return await store({ ...rest, ip, ...(port !== null && { port }) });
  } catch (error) {
    throw error instanceof ApiError ? asAddress(error) : error;
  }
}

function asAddress(error: ApiError): ApiError {
  const named = (field: string) => (field === "ip" || field === "port" ? "address" : field);
  const { faults, errors } = error;
  return new ApiError(
    error.status,
    {
      ...error.body,
      faults: faults.map((fault) => ({ ...fault, field: named(fault.field) })),
      errors: Object.fromEntries(
        Object.entries(errors).map(([field, sentences]) => [named(field), sentences]),
      ),
    },
    error.retryAfter,
  );
}

/** The line of steward.toml that lets the service contact these networks. */
export function networksLine(networks: readonly string[]): string {
  return `server-networks = [${networks.map((network) => `"${network}"`).join(", ")}]`;
}
