import type { Schemas } from "../../api/client";

export type Game = Schemas["Game"];

const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");

/** The game that a server's `game` means, which may be an alias or the number of a Steam app. */
export function findGame(games: Game[], value: string): Game | undefined {
  const wanted = plain(value);
  return games.find(({ id, aliases, steam_app_ids }) =>
    [id, ...aliases, ...steam_app_ids.map(String)].some((name) => plain(name) === wanted),
  );
}
