import { expect, test } from "vitest";
import { commandsOf, failureText } from "./commands";

test("kicks and mutes are one list", () => {
  const kick = { server_id: 1, state: "sent", error: null } as const;
  const mute = { server_id: 2, command: "unmute", state: "pending", error: null } as const;
  expect(commandsOf({ kicks: [kick], mutes: [mute] })).toEqual([
    { ...kick, command: "kick" },
    mute,
  ]);
});

test("what the service says in English is known", () => {
  expect(failureText("The game server refused the RCON password.")).toBe(
    "errors.codes.rcon_wrong_password",
  );
  expect(failureText("The ban has ended.")).toBe("bans.kicks.errors.ended");
  expect(failureText("Something of a later version.")).toBeNull();
});
