import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const GUILD = "613425648685547541";
export const BOT = "900000000000000001";
export const TOKEN = "the-token-of-the-bot-of-the-tests";
export const ROLES = {
  moderator: "700000000000000009",
  bot: "700000000000000005",
  vip: "700000000000000004",
  booster: "700000000000000002",
  player: "700000000000000001",
};

const MANAGE_ROLES = "268435456";
/** Discord's codes of errors. */
const UNKNOWN_MEMBER = 10_007;
const UNKNOWN_GUILD = 10_004;
const MISSING_ACCESS = 50_001;
const MISSING_PERMISSIONS = 50_013;

/** What can be set right, or wrong, while it runs. */
interface State {
  token: string;
  isOnServer: boolean;
  hasIntent: boolean;
  mayManageRoles: boolean;
  /** The place of the bot's role. */
  place: number;
}

export interface FakeDiscord {
  /** The options of a service that asks it. */
  settings: Record<string, string>;
  state: State;
  /** The people on the server, with the ids of their roles. */
  members: Map<string, Set<string>>;
  /** Waits until nothing has been asked for a while. */
  quiet: () => Promise<void>;
  stop: () => void;
}

const QUIET_MS = 1500;

/** A Discord on 127.0.0.1 with one server and a bot, which answers as Discord is documented to. */
export async function startDiscord(): Promise<FakeDiscord> {
  const state: State = {
    token: TOKEN,
    isOnServer: true,
    hasIntent: true,
    mayManageRoles: true,
    place: 5,
  };
  const members = new Map([[BOT, new Set([ROLES.bot])]]);
  let askedAt = Date.now();
  const roles = () => [
    role(GUILD, "@everyone", 0, 0),
    role(ROLES.player, "Player", 1, 0x3498db),
    { ...role(ROLES.booster, "Server Booster", 2, 0xf47fff), managed: true },
    role(ROLES.vip, "VIP", 4, 0xf1c40f),
    {
      ...role(ROLES.bot, "Steward", state.place, 0),
      managed: true,
      permissions: state.mayManageRoles ? MANAGE_ROLES : "0",
    },
    role(ROLES.moderator, "Moderator", 9, 0xe74c3c),
  ];

  const answer = (method: string, path: string, query: URLSearchParams): [number, unknown?] => {
    if (path === "/users/@me") {
      return [200, { id: BOT }];
    }
    const [, guild = "", rest = ""] = /^\/guilds\/(\d+)(.*)$/.exec(path) ?? [];
    if (guild !== GUILD || !state.isOnServer) {
      return [404, { code: UNKNOWN_GUILD }];
    }
    if (rest === "" || rest === "/roles") {
      return [200, rest === "" ? { id: GUILD } : roles()];
    }
    if (rest === "/members") {
      if (!state.hasIntent) {
        return [403, { code: MISSING_ACCESS }];
      }
      const after = BigInt(query.get("after") ?? "0");
      const listed = [...members].filter(([id]) => BigInt(id) > after);
      listed.sort(([a], [b]) => Number(BigInt(a) - BigInt(b)));
      const shown = listed.slice(0, Number(query.get("limit") ?? "1"));
      return [200, shown.map(([id, held]) => member(id, held))];
    }
    const [, id = "", change] = /^\/members\/(\d+)(?:\/roles\/(\d+))?$/.exec(rest) ?? [];
    const held = members.get(id);
    if (held === undefined) {
      return [404, { code: UNKNOWN_MEMBER }];
    }
    if (change === undefined) {
      return [200, member(id, held)];
    }
    const found = roles().find((one) => one.id === change);
    if (!state.mayManageRoles || found === undefined || found.position >= state.place) {
      return [403, { code: MISSING_PERMISSIONS }];
    }
    if (method === "PUT") {
      held.add(change);
    } else {
      held.delete(change);
    }
    return [204];
  };

  const server = createServer((request, response) => {
    askedAt = Date.now();
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://local");
    const isKnown = request.headers.authorization === `Bot ${state.token}`;
    const path = pathname.replace(/^\/api\/v10/, "");
    request.on("end", () =>
      send(response, isKnown ? answer(request.method ?? "", path, searchParams) : [401, {}]),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    settings: { STEWARD_DISCORD_URL: `http://127.0.0.1:${port}/api/v10` },
    state,
    members,
    quiet: async () => {
      while (Date.now() - askedAt < QUIET_MS) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function role(id: string, name: string, position: number, color: number) {
  return { id, name, position, color, permissions: "0", managed: false };
}

function member(id: string, held: Set<string>) {
  return { user: { id }, roles: [...held] };
}

function send(response: ServerResponse, [status, body]: [number, unknown?]): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(body === undefined ? "" : JSON.stringify(body));
}
