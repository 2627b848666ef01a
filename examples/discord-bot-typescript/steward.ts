// The part of the bot that talks to Steward. It knows nothing of Discord.
// `npm run types` writes schema.ts from the document that Steward serves.
import createClient, { type Client } from 'openapi-fetch';

import type { paths } from './schema.ts';

export type Steward = Client<paths>;

/** An error reply. `code` is for programs and never changes, `message` is for people. */
export class StewardError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

type Reply<T> =
  | { data: T; error?: never; response: Response }
  | { data?: never; error: { code: string; message: string }; response: Response };

export function connect(baseUrl: string, key: string): Steward {
  return createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } });
}

function ok<T>({ data, error, response }: Reply<T>): T {
  if (error !== undefined) {
    throw new StewardError(response.status, error.code, error.message);
  }
  return data as T;
}

/** The player with exactly this name, ignoring case. */
async function findPlayer(steward: Steward, name: string) {
  // The search needs three characters.
  if (name.length < 3) {
    return undefined;
  }
  const query = { q: name, per_page: 100 };
  const { users } = ok(await steward.GET('/api/users/search', { params: { query } }));
  const found = users.find(({ username }) => username.toLowerCase() === name.toLowerCase());
  if (found === undefined) {
    return undefined;
  }
  // With `include`, each role has its end.
  const params = { path: { id: found.id }, query: { include: 'roles' } };
  return ok(await steward.GET('/api/users/{id}', { params })).user;
}

export async function describePlayer(steward: Steward, name: string): Promise<string> {
  const player = await findPlayer(steward, name);
  if (player === undefined) {
    return `There is no player called ${name}.`;
  }
  const describeRole = ({ name, expires_at: end }: (typeof player.roles)[number]) =>
    end ? `${name} until ${end.slice(0, 10)}` : name;
  const roles = player.roles.map(describeRole).join(', ') || 'no roles';
  const since = player.created_at.slice(0, 10);
  return `${player.username}: ${player.status}, ${roles}, here since ${since}.`;
}

/** Gives a product without a payment, such as a prize: its roles, commands and items. */
export async function giveProduct(
  steward: Steward,
  name: string,
  { product, reason }: { product: string; reason: string },
  commandId: string,
): Promise<string> {
  const player = await findPlayer(steward, name);
  if (player === undefined) {
    return `There is no player called ${name}.`;
  }
  const query = { active: true, per_page: 100 };
  const { products } = ok(await steward.GET('/api/products', { params: { query } }));
  const offered = products.find((it) => it.name.toLowerCase() === product.toLowerCase());
  if (offered === undefined) {
    return `There is no product called ${product}.`;
  }
  const { grant } = ok(
    await steward.POST('/api/grants', {
      params: { header: { 'Idempotency-Key': `discord-${commandId}` } },
      body: { user_id: player.id, product_id: offered.id, reason },
    }),
  );
  return grant.state === 'attention'
    ? `${player.username} did not get all of ${offered.name}: look at the console.`
    : `${player.username} gets ${offered.name}.`;
}

/** Blocks a player, for ever without `until`. A command that arrives twice is carried out once. */
export async function blockPlayer(
  steward: Steward,
  name: string,
  terms: { reason: string; until: string | null },
  commandId: string,
): Promise<string> {
  const player = await findPlayer(steward, name);
  if (player === undefined) {
    return `There is no player called ${name}.`;
  }
  ok(
    await steward.POST('/api/users/{id}/block', {
      params: { path: { id: player.id }, header: { 'Idempotency-Key': `discord-${commandId}` } },
      body: terms,
    }),
  );
  const until = terms.until === null ? '' : ` until ${terms.until.slice(0, 10)}`;
  return `${player.username} is blocked${until}.`;
}

/** One line for each enabled server: its name, players, map and address. */
export async function describeServers(steward: Steward): Promise<string> {
  const { servers } = ok(await steward.GET('/api/servers'));
  const lines = await Promise.all(
    servers
      .filter(({ enabled }) => enabled)
      .map(async ({ id, name, ip, port }) => {
        const params = { path: { id } };
        const { stats } = ok(await steward.GET('/api/servers/{id}', { params })).server;
        const players = `${stats.players_online}/${stats.max_players}`;
        return `${name}: ${players} on ${stats.map || 'no map'}, ${ip}:${port}`;
      }),
  );
  return lines.join('\n') || 'No server is enabled.';
}
