import type { Schemas } from "../../api/client";

export type ServerCommands = Schemas["ServerCommandSet"];

/** The games whose consoles know players by what they print for them, and by its spelling. */
const BY_STEAM_ID3 = ["css", "teamfortress2", "dods", "hl2d", "hlds"];
const BY_STEAM_ID2 = ["csgo", "l4d", "l4d2"];

const none = { mute_command: null, unmute_command: null };
const source = (id: string): ServerCommands => ({
  ...none,
  kick_command: `kickid "{${id}}" You are banned`,
});

/** The usual commands of games, by their ids. Only games whose consoles take a SteamID have some. */
const USUAL: Record<string, ServerCommands> = {
  ...Object.fromEntries(BY_STEAM_ID3.map((game) => [game, source("steam_id3")])),
  ...Object.fromEntries(BY_STEAM_ID2.map((game) => [game, source("steam_id2")])),
  // Those of the plugin in examples/counterstrikesharp: the game has none for a SteamID.
  counterstrike2: {
    kick_command: "css_steward_kick {steam_id64}",
    mute_command: "css_steward_mute {steam_id64} {seconds}",
    unmute_command: "css_steward_unmute {steam_id64}",
  },
  rust: {
    kick_command: 'kick {steam_id64} "You are banned"',
    mute_command: "mute {steam_id64}",
    unmute_command: "unmute {steam_id64}",
  },
  ...Object.fromEntries(
    ["squad", "postscriptum"].map((game) => [
      game,
      { ...none, kick_command: 'AdminKick "{steam_id64}" You are banned' },
    ]),
  ),
  insurgencysandstorm: { ...none, kick_command: 'kick {steam_id64} "You are banned"' },
  ...Object.fromEntries(
    ["ase", "atlas"].map((game) => [game, { ...none, kick_command: "KickPlayer {steam_id64}" }]),
  ),
};

/** The usual commands of a game; null if none are known. */
export function usualCommands(game: string | undefined): ServerCommands | null {
  return game !== undefined && Object.hasOwn(USUAL, game) ? (USUAL[game] ?? null) : null;
}
