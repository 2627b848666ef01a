/** The SteamID64 of account 0: the public universe, a person, the desktop instance. */
export const ACCOUNT_0 = 0x0110000100000000n;
const LAST_ACCOUNT = 0xffffffffn;

/** The SteamID64 that a text spells: SteamID64, SteamID2, SteamID3 or the address of a profile. */
export function steamId(text: string): string | null {
  const word = text.trim();
  const [, lowestBit, half] = /^STEAM_[0-5]:([01]):(\d{1,10})$/i.exec(word) ?? [];
  if (lowestBit !== undefined && half !== undefined) {
    return ofAccount(BigInt(half) * 2n + BigInt(lowestBit));
  }
  const account = /^\[?U:1:(\d{1,10})\]?$/i.exec(word)?.[1];
  if (account !== undefined) {
    return ofAccount(BigInt(account));
  }
  const id = steamPath(word, "profiles") ?? word;
  return /^\d{17}$/.test(id) ? ofAccount(BigInt(id) - ACCOUNT_0) : null;
}

function ofAccount(account: bigint): string | null {
  return account < 0n || account > LAST_ACCOUNT ? null : String(ACCOUNT_0 + account);
}

/** The part of a Steam address after `/profiles/` or `/id/`. */
function steamPath(text: string, kind: "profiles" | "id"): string | undefined {
  const address = new RegExp(
    `^(?:https?://)?(?:www\\.)?steamcommunity\\.com/${kind}/([^/?#]+)`,
    "i",
  );
  return address.exec(text)?.[1];
}

/** Whether a text is the address of a Steam profile with a name of its owner's choice in it. */
export function isVanity(text: string): boolean {
  return steamPath(text.trim(), "id") !== undefined;
}

/** The Discord id that a text spells: the id itself, a mention, or the address of a profile. */
export function discordId(text: string): string | null {
  const word = text.trim();
  const address = /^(?:https?:\/\/)?(?:www\.|ptb\.|canary\.)?discord(?:app)?\.com\/users\/(\d+)/i;
  const id = address.exec(word)?.[1] ?? /^<@!?(\d+)>$/.exec(word)?.[1] ?? word;
  return /^\d{17,20}$/.test(id) ? id : null;
}

interface Profile {
  network: "steam" | "discord";
  /** As a link may have it. */
  values: string[];
}

/** The profiles that a text may name. An id of 17 digits may be one of Steam or of Discord. */
export function profilesOf(text: string): Profile[] {
  const steam = steamId(text);
  const vanity = steamPath(text.trim(), "id");
  const discord = discordId(text);
  const named = (name: string) => `https://steamcommunity.com/id/${name}`;
  return [
    ...(steam !== null ? [{ network: "steam" as const, values: [steam] }] : []),
    ...(vanity !== undefined
      ? [{ network: "steam" as const, values: [vanity, named(vanity), `${named(vanity)}/`] }]
      : []),
    ...(discord !== null
      ? [{ network: "discord" as const, values: [discord, `https://discord.com/users/${discord}`] }]
      : []),
  ];
}
