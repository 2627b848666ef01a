using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using CounterStrikeSharp.API;
using CounterStrikeSharp.API.Core;
using CounterStrikeSharp.API.Core.Attributes.Registration;
using CounterStrikeSharp.API.Modules.Admin;
using CounterStrikeSharp.API.Modules.Commands;
using CounterStrikeSharp.API.Modules.Entities;

namespace StewardPlugin
{
    /// <summary>The commands: of moderators in the game, and of Steward over RCON.</summary>
    public partial class StewardPlugin
    {
        /// <summary>The longest ban with an end, as in Steward: ten years.</summary>
        private const long MaximumMinutes = 5256000;

        private const string BanUsage = "<#userid|steamid64> <minutes, 0: no end> <reason>";
        private const string LiftUsage = "<#userid|steamid64> <reason>";

        [ConsoleCommand("css_ban", "Bans a player on all servers")]
        [CommandHelper(minArgs: 3, usage: BanUsage)]
        [RequiresPermissions("@css/ban")]
        public void OnBan(CCSPlayerController caller, CommandInfo command)
        {
            OrderBan(caller, command, "ban", "Banned");
        }

        [ConsoleCommand("css_mute", "Mutes the voice of a player on all servers")]
        [CommandHelper(minArgs: 3, usage: BanUsage)]
        [RequiresPermissions("@css/chat")]
        public void OnMute(CCSPlayerController caller, CommandInfo command)
        {
            OrderBan(caller, command, "mute", "Muted");
        }

        [ConsoleCommand("css_gag", "Takes the chat from a player on all servers")]
        [CommandHelper(minArgs: 3, usage: BanUsage)]
        [RequiresPermissions("@css/chat")]
        public void OnGag(CCSPlayerController caller, CommandInfo command)
        {
            OrderBan(caller, command, "gag", "Gagged");
        }

        [ConsoleCommand("css_silence", "Takes voice and chat from a player on all servers")]
        [CommandHelper(minArgs: 3, usage: BanUsage)]
        [RequiresPermissions("@css/chat")]
        public void OnSilence(CCSPlayerController caller, CommandInfo command)
        {
            OrderBan(caller, command, "silence", "Silenced");
        }

        [ConsoleCommand("css_unban", "Lifts the bans of a player")]
        [CommandHelper(minArgs: 2, usage: LiftUsage)]
        [RequiresPermissions("@css/unban")]
        public void OnUnban(CCSPlayerController caller, CommandInfo command)
        {
            OrderLift(caller, command, BanKind.Ban);
        }

        [ConsoleCommand("css_unmute", "Lifts the mutes of a player")]
        [CommandHelper(minArgs: 2, usage: LiftUsage)]
        [RequiresPermissions("@css/chat")]
        public void OnUnmute(CCSPlayerController caller, CommandInfo command)
        {
            OrderLift(caller, command, BanKind.Mute);
        }

        [ConsoleCommand("css_ungag", "Lifts the gags of a player")]
        [CommandHelper(minArgs: 2, usage: LiftUsage)]
        [RequiresPermissions("@css/chat")]
        public void OnUngag(CCSPlayerController caller, CommandInfo command)
        {
            OrderLift(caller, command, BanKind.Gag);
        }

        [ConsoleCommand("css_unsilence", "Lifts the silences of a player")]
        [CommandHelper(minArgs: 2, usage: LiftUsage)]
        [RequiresPermissions("@css/chat")]
        public void OnUnsilence(CCSPlayerController caller, CommandInfo command)
        {
            OrderLift(caller, command, BanKind.Silence);
        }

        /// <summary>kick_command of the server: css_steward_kick {steam_id64}</summary>
        [ConsoleCommand("css_steward_kick", "Kicks a player whom Steward banned")]
        [CommandHelper(minArgs: 1, usage: "<steamid64>", whoCanExecute: CommandUsage.SERVER_ONLY)]
        public void OnStewardKick(CCSPlayerController caller, CommandInfo command)
        {
            if (TryReadSteamId(command.GetArg(1), out var steamId) && Find(steamId) is CCSPlayerController player)
            {
                Refuse(player, "You are banned.");
            }
        }

        /// <summary>mute_command of the server: css_steward_mute {steam_id64} {seconds}</summary>
        [ConsoleCommand("css_steward_mute", "Mutes a player whom Steward muted, gagged or silenced")]
        [CommandHelper(minArgs: 2, usage: "<steamid64> <seconds, 0: no end>", whoCanExecute: CommandUsage.SERVER_ONLY)]
        public void OnStewardMute(CCSPlayerController caller, CommandInfo command)
        {
            Ask(command.GetArg(1));
        }

        /// <summary>unmute_command of the server: css_steward_unmute {steam_id64}</summary>
        [ConsoleCommand("css_steward_unmute", "Frees a player whose mute Steward lifted")]
        [CommandHelper(minArgs: 1, usage: "<steamid64>", whoCanExecute: CommandUsage.SERVER_ONLY)]
        public void OnStewardUnmute(CCSPlayerController caller, CommandInfo command)
        {
            Ask(command.GetArg(1));
        }

        /// <summary>
        /// Asks Steward what holds for a player: the commands do not say whether voice or chat is meant, nor
        /// what else is active.
        /// </summary>
        private void Ask(string word)
        {
            if (TryReadSteamId(word, out var steamId) && connected.TryGetValue(steamId, out var ip))
            {
                Task.Run(() => Check(steamId, ip, false));
            }
        }

        private void OrderBan(CCSPlayerController caller, CommandInfo command, string kind, string done)
        {
            if (!TryFindTarget(caller, command, out var steamId, out var name))
            {
                return;
            }
            if (!long.TryParse(command.GetArg(2), NumberStyles.None, CultureInfo.InvariantCulture, out var minutes)
                || minutes > MaximumMinutes)
            {
                command.ReplyToCommand($"Minutes are a number from 0 (no end) to {MaximumMinutes}.");
                return;
            }
            var now = Ban.Now;
            // An end in time and not a length: a repeated request must be the same, and the time counts from
            // the command on, also if Steward hears of it an hour later.
            var end = minutes == 0 ? (DateTimeOffset?)null : DateTimeOffset.FromUnixTimeSeconds(now + minutes * 60);
            Send(caller, new Order
            {
                SteamId = steamId,
                Path = "/api/bans",
                Body = JsonSerializer.Serialize(new Dictionary<string, object>
                {
                    ["kind"] = kind,
                    ["steam_id64"] = steamId.ToString(CultureInfo.InvariantCulture),
                    ["player_name"] = Clean(name, 100),
                    ["reason"] = Reason(command, 3),
                    ["note"] = $"issued in game by {NameOf(caller)}",
                    ["expires_at"] = end?.ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture),
                }),
                Summary = $"{done} {(name == "" ? steamId.ToString() : name)} "
                    + (minutes == 0 ? "(no end)" : $"for {minutes} minutes"),
            }.WithBan());
            // Here it holds at once.
            if (Find(steamId) is CCSPlayerController player)
            {
                restrictions.TryGetValue(steamId, out var present);
                Enforce(player, present ?? new List<Ban>());
            }
        }

        /// <summary>Lifts one kind, so that lifting a gag does not unban. The ids have to be looked up first.</summary>
        private void OrderLift(CCSPlayerController caller, CommandInfo command, BanKind kind)
        {
            if (!TryFindTarget(caller, command, out var steamId, out var name))
            {
                return;
            }
            var shown = name == "" ? steamId.ToString() : name;
            var callerId = caller == null ? 0 : caller.SteamID;
            var body = JsonSerializer.Serialize(new Dictionary<string, object>
            {
                ["reason"] = Clean($"{Reason(command, 2)} (lifted in game by {NameOf(caller)})", 500),
            });
            Task.Run(async () =>
            {
                List<Ban> found;
                try
                {
                    found = (await steward.Check(steamId, null).ConfigureAwait(false)).Bans;
                }
                catch (Exception)
                {
                    found = bans.Find(steamId, null);
                }
                Server.NextFrame(() =>
                {
                    var lifted = found.Where(ban => ban.Kind == kind && ban.IsActive(Ban.Now)).ToList();
                    if (outbox.BansOf(steamId).Any(ban => ban.Kind == kind))
                    {
                        Tell(callerId, "Steward does not have this one yet. Try again when it is back.");
                    }
                    else if (lifted.Count == 0)
                    {
                        Tell(callerId, $"{shown} has no active {kind.ToString().ToLowerInvariant()}.");
                    }
                    foreach (var ban in lifted)
                    {
                        Send(callerId, new Order
                        {
                            SteamId = steamId,
                            Path = $"/api/bans/{ban.Id}/lift",
                            Body = body,
                            Lifts = ban.Id,
                            Summary = $"Lifted the {kind.ToString().ToLowerInvariant()} of {shown}",
                        });
                    }
                    if (lifted.Count > 0 && Find(steamId) is CCSPlayerController player)
                    {
                        Enforce(player, found);
                    }
                });
            });
        }

        private void Send(CCSPlayerController caller, Order order)
        {
            Send(caller == null ? 0 : caller.SteamID, order);
        }

        private void Send(ulong callerId, Order order)
        {
            order.Key = $"game-{Guid.NewGuid():N}";
            order.OrderedAt = Ban.Now;
            order.Caller = callerId;
            outbox.Add(order);
        }

        private void Delayed(Order order)
        {
            Server.NextFrame(() => Tell(
                order.Caller, $"{order.Summary} on this server. Steward is away and is told when it is back."));
        }

        private void Sent(Order order, Reply reply)
        {
            var text = reply == null ? $"Not sent, Steward was away for a day: {order.Summary}"
                : reply.IsSuccess ? $"{order.Summary}."
                : $"Refused by Steward: {reply.Explain()}";
            Server.NextFrame(() => Tell(order.Caller, text));
            if (connected.TryGetValue(order.SteamId, out var ip))
            {
                Task.Run(() => Check(order.SteamId, ip, false));
            }
        }

        private bool TryFindTarget(CCSPlayerController caller, CommandInfo command, out ulong steamId, out string name)
        {
            var word = command.GetArg(1);
            name = "";
            CCSPlayerController player = null;
            if (word.StartsWith("#") && int.TryParse(word.Substring(1), out var userId))
            {
                player = Utilities.GetPlayers().FirstOrDefault(each => each.UserId == userId && !each.IsBot);
                steamId = player == null ? 0 : player.SteamID;
            }
            else if (TryReadSteamId(word, out steamId))
            {
                player = Find(steamId);
            }
            if (steamId == 0)
            {
                command.ReplyToCommand($"No player {word} is here. The SteamID64 of others has 17 digits.");
                return false;
            }
            name = player == null ? "" : player.PlayerName;
            if (caller != null && !AdminManager.CanPlayerTarget(new SteamID(caller.SteamID), new SteamID(steamId)))
            {
                command.ReplyToCommand("This player has a higher immunity than you.");
                return false;
            }
            return true;
        }

        /// <summary>Individual accounts alone.</summary>
        private static bool TryReadSteamId(string word, out ulong steamId)
        {
            var isNumber = ulong.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out steamId);
            if (isNumber && steamId >> 32 == 0x01100001)
            {
                return true;
            }
            steamId = 0;
            return false;
        }

        private static string Reason(CommandInfo command, int first)
        {
            var words = Enumerable.Range(first, command.ArgCount - first).Select(command.GetArg);
            return Clean(string.Join(" ", words), 500);
        }

        /// <summary>Without control characters, and no longer than Steward takes.</summary>
        private static string Clean(string text, int length)
        {
            var clean = new string(text.Select(c => char.IsControl(c) ? ' ' : c).ToArray()).Trim();
            return clean.Length <= length ? clean : clean.Substring(0, length);
        }

        private static string NameOf(CCSPlayerController caller)
        {
            return caller == null ? "the server console" : $"{Clean(caller.PlayerName, 100)} ({caller.SteamID})";
        }

        /// <summary>The reply to a command, when it is over already.</summary>
        private static void Tell(ulong callerId, string text)
        {
            if (callerId == 0)
            {
                Server.PrintToConsole(text);
            }
            else
            {
                Find(callerId)?.PrintToChat(text);
            }
        }
    }
}
