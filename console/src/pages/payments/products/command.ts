/** Commands with placeholders, as the service fills them. */

import { ACCOUNT_0 } from "../../../api/profiles";

/** Those of the commands of products. */
export const PLACEHOLDERS = [
  "steam_id64",
  "steam_id2",
  "steam_id3",
  "account_id",
  "discord_id",
  "user_id",
  "username",
  "grant_id",
  "invoice_id",
  "server_id",
  "seconds",
  "days",
  "expires_unix",
] as const;

/** Those of the commands that carry out bans. No name is among them. */
export const BAN_PLACEHOLDERS = [
  "steam_id64",
  "steam_id2",
  "steam_id3",
  "account_id",
  "user_id",
  "server_id",
  "seconds",
  "days",
  "expires_unix",
  "ban_id",
] as const;

export type Placeholder = (typeof PLACEHOLDERS | typeof BAN_PLACEHOLDERS)[number];

/** A profile that the user must have linked. */
export type Network = "steam" | "discord";

export interface CommandValues {
  /** As a SteamID64; null without a profile. */
  steamId: string | null;
  discordId: string | null;
  userId: number;
  username: string;
  grantId: number;
  /** 0 without an invoice. */
  invoiceId: number;
  banId: number;
  serverId: number;
  seconds: number;
  /** 0 is no end. */
  expiresUnix: number;
}

/** Why the service would refuse a command. */
export type Problem =
  | { kind: "loneBrace" }
  | { kind: "unknown"; name: string }
  | { kind: "unquoted"; name: Placeholder };

export interface Rendered {
  /** What is sent. The placeholders of profiles that are missing stay as they are. */
  text: string;
  missing: Network[];
  problem: Problem | null;
}

const LONGEST_NAME = 32;
const SECONDS_A_DAY = 86_400;

/** Consoles split words at the colons of these, except inside double quotes. */
const WITH_COLONS: readonly Placeholder[] = ["steam_id2", "steam_id3"];

/** Fills the placeholders of a command, of which only some are allowed. */
export function renderCommand(
  template: string,
  values: CommandValues,
  allowed: readonly Placeholder[] = PLACEHOLDERS,
): Rendered {
  const missing = new Set<Network>();
  let text = "";
  let isQuoted = false;
  let rest = template;
  const stop = (problem: Problem): Rendered => ({ text, missing: [...missing], problem });
  while (rest !== "") {
    const [piece = ""] = /^(?:\{\{|\}\}|[^])/u.exec(rest) ?? [];
    if (piece === "}") {
      return stop({ kind: "loneBrace" });
    }
    if (piece !== "{") {
      isQuoted = piece === '"' ? !isQuoted : isQuoted;
      text += piece === "{{" || piece === "}}" ? piece.charAt(0) : piece;
      rest = rest.slice(piece.length);
      continue;
    }
    const end = rest.indexOf("}");
    if (end === -1) {
      return stop({ kind: "loneBrace" });
    }
    const name = rest.slice(1, end);
    rest = rest.slice(end + 1);
    const placeholder = allowed.find((one) => one === name);
    if (placeholder === undefined) {
      return stop({ kind: "unknown", name });
    }
    if (WITH_COLONS.includes(placeholder) && !(isQuoted && rest.includes('"'))) {
      return stop({ kind: "unquoted", name: placeholder });
    }
    const value = valueOf(placeholder, values);
    if (value === null) {
      missing.add(placeholder === "discord_id" ? "discord" : "steam");
    }
    text += value ?? `{${placeholder}}`;
  }
  return { text, missing: [...missing], problem: null };
}

function valueOf(name: Placeholder, values: CommandValues): string | number | null {
  const account = values.steamId === null ? null : BigInt(values.steamId) - ACCOUNT_0;
  switch (name) {
    case "steam_id64":
      return values.steamId;
    case "steam_id2":
      return account === null ? null : `STEAM_1:${account % 2n}:${account / 2n}`;
    case "steam_id3":
      return account === null ? null : `[U:1:${account}]`;
    case "account_id":
      return account === null ? null : String(account);
    case "discord_id":
      return values.discordId;
    case "user_id":
      return values.userId;
    case "username":
      return harmless(values.username);
    case "grant_id":
      return values.grantId;
    case "invoice_id":
      return values.invoiceId;
    case "ban_id":
      return values.banId;
    case "server_id":
      return values.serverId;
    case "seconds":
      return values.seconds;
    case "days":
      return Math.floor(values.seconds / SECONDS_A_DAY);
    case "expires_unix":
      return values.expiresUnix;
  }
}

/** A name of which no character can end a word or begin a command. */
function harmless(name: string): string {
  const reduced = [...name].map((one) => (/^[A-Za-z0-9_.-]$/.test(one) ? one : "_"));
  return reduced.slice(0, LONGEST_NAME).join("") || "_";
}

/** Puts a placeholder into a command, with the quotes that it needs, and says where to type on. */
export function insertPlaceholder(
  command: string,
  from: number,
  to: number,
  name: Placeholder,
): { command: string; caret: number } {
  const before = command.slice(0, from);
  const isQuoted = before.split('"').length % 2 === 0;
  const quote = WITH_COLONS.includes(name) && !isQuoted ? '"' : "";
  const inserted = `${quote}{${name}}${quote}`;
  return { command: before + inserted + command.slice(to), caret: from + inserted.length };
}
