import type { Schemas } from "../../api/client";

/** The address that players connect to. IPv6 addresses stand in brackets before a port. */
export function addressOf({ ip, port }: Pick<Schemas["ServerItem"], "ip" | "port">): string {
  const host = String(ip);
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
