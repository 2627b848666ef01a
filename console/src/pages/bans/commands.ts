import type { Schemas } from "../../api/client";
import type { Tone } from "../../components/text";
import type { TextKey } from "../../i18n";
import type { BanRecord } from "./ban";

/** The last command of a kind that a server was sent for a ban. */
export type SentCommand = Schemas["BanMute"];

export const SENT_TONES: Record<SentCommand["state"], Tone> = {
  pending: "warn",
  sent: "good",
  failed: "bad",
};

/** All that the servers were sent for a ban. */
export function commandsOf({ kicks, mutes }: Pick<BanRecord, "kicks" | "mutes">): SentCommand[] {
  return [...kicks.map((kick) => ({ ...kick, command: "kick" as const })), ...mutes];
}

/** Why a command was not sent. The service says it in English only. */
const FAILURES: [RegExp, TextKey][] = [
  [/^The ban has ended\.$/, "bans.kicks.errors.ended"],
  [/^The server has no such command any more\.$/, "bans.kicks.errors.noCommand"],
  [/^The server was deleted\.$/, "grants.errors.server"],
  [/^The server has no RCON password\. .+$/, "errors.codes.rcon_no_password"],
  [/^The game server refused the RCON password\.$/, "errors.codes.rcon_wrong_password"],
  [/^The game server does not accept RCON connections .+$/, "errors.codes.rcon_no_connection"],
  [/^The game server closed the connection.*$/, "errors.codes.rcon_closed"],
  [/^The game server did not answer in time\..*$/, "errors.codes.rcon_timeout"],
  [/^The program at this port does not speak RCON\.$/, "errors.codes.rcon_protocol"],
  [/^Contacting game servers is disabled on this instance\.$/, "errors.codes.server_query_off"],
  [/^The server is disabled\. .+$/, "errors.codes.server_disabled"],
  [/^The server's address is not one that .+$/, "errors.codes.server_forbidden"],
];

export function failureText(message: string): TextKey | null {
  return FAILURES.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}
