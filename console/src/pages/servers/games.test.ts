import { expect, test } from "vitest";
import { findGame, type Game } from "./games";

const CS2: Game = {
  id: "cs2",
  name: "Counter-Strike 2",
  protocol: "valve",
  default_query_port: 27015,
  steam_app_ids: [730],
  aliases: ["counterstrike2"],
};

test("a game is found by its id, an alias or its Steam app, however it is written", () => {
  for (const value of ["cs2", "CS2", "Counter-Strike_2", "730"]) {
    expect(findGame([CS2], value)?.name, value).toBe("Counter-Strike 2");
  }
  expect(findGame([CS2], "quake")).toBeUndefined();
});
