using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using CounterStrikeSharp.API;
using CounterStrikeSharp.API.Core;
using CounterStrikeSharp.API.Core.Attributes.Registration;
using CounterStrikeSharp.API.Modules.Commands;
using CounterStrikeSharp.API.Modules.Timers;
using CounterStrikeSharp.API.ValveConstants.Protobuf;
using Microsoft.Extensions.Logging;

namespace StewardPlugin
{
    /// <summary>
    /// configs/plugins/StewardPlugin/StewardPlugin.json. The key needs admin.bans, admin.bans.read and
    /// admin.deliveries.
    /// </summary>
    public class StewardConfig : BasePluginConfig
    {
        public string Url { get; set; } = "http://127.0.0.1:8080";
        public string Key { get; set; } = "";
        /// <summary>The id of this game server in Steward.</summary>
        public long ServerId { get; set; } = 1;
        /// <summary>How often changes of the ban list and new deliveries are asked for.</summary>
        public double PollSeconds { get; set; } = 5;
    }

    /// <summary>
    /// Enforces the bans and mutes of Steward, makes new ones from commands in the game, and gives what
    /// players bought. The game never waits for the network: requests run in tasks, and what they find
    /// comes back through Server.NextFrame.
    /// </summary>
    public partial class StewardPlugin : BasePlugin, IPluginConfig<StewardConfig>
    {
        private const int MaximumMoney = 16000;

        public override string ModuleName => "Steward";
        public override string ModuleVersion => "2.0.0";

        public StewardConfig Config { get; set; }

        private readonly CancellationTokenSource stop = new CancellationTokenSource();
        private StewardClient steward;
        private BanList bans;
        private Outbox outbox;
        private Deliveries deliveries;

        /// <summary>Who is connected, for tasks.</summary>
        private readonly ConcurrentDictionary<ulong, IPAddress> connected =
            new ConcurrentDictionary<ulong, IPAddress>();
        private long lastQuestion;
        private volatile string deliveryError;

        // The thread of the game alone uses these: the mutes and gags of who is connected, whom this plugin
        // muted, and which question the present state answers.
        private readonly Dictionary<ulong, List<Ban>> restrictions = new Dictionary<ulong, List<Ban>>();
        private readonly HashSet<ulong> muted = new HashSet<ulong>();
        private readonly Dictionary<ulong, long> answered = new Dictionary<ulong, long>();

        public void OnConfigParsed(StewardConfig config)
        {
            Config = config;
        }

        public override void Load(bool hotReload)
        {
            steward = new StewardClient(Config.Url, Config.Key, Config.ServerId);
            bans = new BanList(PathOf("bans.ndjson"), Config.Url, Config.ServerId);
            outbox = new Outbox(PathOf("orders.ndjson"), error => Logger.LogError(error, "Orders have to wait"));
            deliveries = new Deliveries(
                PathOf("deliveries.txt"), Give, error => Logger.LogError(error, "A delivery is not confirmed"));
            LoadFile(bans.Load);
            LoadFile(outbox.Load);
            LoadFile(deliveries.Load);

            AddCommandListener("say", OnSay, HookMode.Pre);
            AddCommandListener("say_team", OnSay, HookMode.Pre);
            AddTimer(1.0f, EndMutes, TimerFlags.REPEAT);
            if (hotReload)
            {
                foreach (var player in Utilities.GetPlayers().Where(player => !player.IsBot))
                {
                    connected[player.SteamID] = IpRange.ParsePlayer(player.IpAddress);
                }
            }
            Task.Run(Follow);
            Task.Run(() => outbox.Run(steward, Delayed, Sent, stop.Token));
        }

        public override void Unload(bool hotReload)
        {
            stop.Cancel();
            steward.Dispose();
            foreach (var steamId in muted.ToList())
            {
                SetVoice(Find(steamId), steamId, false);
            }
        }

        [GameEventHandler]
        public HookResult OnPlayerConnectFull(EventPlayerConnectFull @event, GameEventInfo info)
        {
            var player = @event.Userid;
            if (player != null && player.IsValid && !player.IsBot)
            {
                var steamId = player.SteamID;
                var ip = IpRange.ParsePlayer(player.IpAddress);
                connected[steamId] = ip;
                Task.Run(() => Check(steamId, ip, true));
            }
            return HookResult.Continue;
        }

        [GameEventHandler]
        public HookResult OnPlayerDisconnect(EventPlayerDisconnect @event, GameEventInfo info)
        {
            if (@event.Userid != null && !@event.Userid.IsBot)
            {
                var steamId = @event.Userid.SteamID;
                connected.TryRemove(steamId, out _);
                restrictions.Remove(steamId);
                muted.Remove(steamId);
                answered.Remove(steamId);
            }
            return HookResult.Continue;
        }

        /// <summary>A gagged player writes nothing.</summary>
        public HookResult OnSay(CCSPlayerController player, CommandInfo command)
        {
            if (player == null || !player.IsValid || !restrictions.TryGetValue(player.SteamID, out var all))
            {
                return HookResult.Continue;
            }
            var gag = all.FirstOrDefault(ban => ban.StopsChat && ban.IsActive(Ban.Now));
            if (gag == null)
            {
                return HookResult.Continue;
            }
            player.PrintToChat($"You cannot write: {gag.Explain()}");
            return HookResult.Handled;
        }

        /// <summary>Asks about one player. While Steward is away, the copy answers.</summary>
        private async Task Check(ulong steamId, IPAddress ip, bool isNew)
        {
            var question = Interlocked.Increment(ref lastQuestion);
            Answer answer;
            try
            {
                answer = await steward.Check(steamId, ip).ConfigureAwait(false);
            }
            catch (Exception error)
            {
                Logger.LogWarning("The copy is asked about {SteamId}: {Error}", steamId, error.Message);
                answer = new Answer { Bans = bans.Find(steamId, ip) };
            }
            // Functions of the game may be called in its own thread only.
            Server.NextFrame(() => Receive(steamId, answer, question, isNew));
            if (isNew)
            {
                await FetchDeliveries(steamId).ConfigureAwait(false);
            }
        }

        /// <summary>The same error is logged once.</summary>
        private async Task FetchDeliveries(ulong steamId)
        {
            try
            {
                await deliveries.Fetch(steward, steamId, connected.ContainsKey).ConfigureAwait(false);
                deliveryError = null;
            }
            catch (Exception error) when (!stop.IsCancellationRequested)
            {
                if (deliveryError != error.Message)
                {
                    Logger.LogWarning("Deliveries have to wait: {Error}", error.Message);
                }
                deliveryError = error.Message;
            }
        }

        /// <summary>Follows the ban list, and asks about everybody here when it changed.</summary>
        private async Task Follow()
        {
            var isAway = true;
            var isLogged = false;
            while (!stop.IsCancellationRequested)
            {
                try
                {
                    var isChanged = await bans.Update(steward).ConfigureAwait(false);
                    if (isChanged || isAway)
                    {
                        await CheckAll().ConfigureAwait(false);
                    }
                    isAway = false;
                    isLogged = false;
                }
                catch (Exception error) when (!stop.IsCancellationRequested)
                {
                    if (!isLogged)
                    {
                        Logger.LogError(error, "Steward is away; a copy of {Count} bans is used", bans.Count);
                    }
                    isAway = true;
                    isLogged = true;
                }
                await FetchDeliveries(0).ConfigureAwait(false);
                await Task.Delay(TimeSpan.FromSeconds(Math.Max(0.2, Config.PollSeconds)), stop.Token)
                    .ConfigureAwait(false);
            }
        }

        private async Task CheckAll()
        {
            var players = connected.ToArray();
            for (var i = 0; i < players.Length; i += 100)
            {
                var some = players.Skip(i).Take(100).ToArray();
                var question = Interlocked.Increment(ref lastQuestion);
                var answers = await steward.CheckMany(some).ConfigureAwait(false);
                Server.NextFrame(() =>
                {
                    for (var n = 0; n < some.Length; n++)
                    {
                        Receive(some[n].Key, new Answer { Bans = answers[n] }, question, false);
                    }
                });
            }
        }

        /// <summary>Carries out an answer, unless a later question is answered already.</summary>
        private void Receive(ulong steamId, Answer answer, long question, bool isNew)
        {
            // The player may have left in the meantime.
            var player = Find(steamId);
            if (player == null || (answered.TryGetValue(steamId, out var last) && last > question))
            {
                return;
            }
            answered[steamId] = question;
            if (!Enforce(player, answer.Bans) || !isNew || answer.Player == null)
            {
                return;
            }
            if (answer.Player.IsBlocked)
            {
                Refuse(player, $"Your account is blocked: {answer.Player.BlockReason}");
                return;
            }
            var roles = answer.Player.Roles.Length == 0 ? "" : $" ({string.Join(", ", answer.Player.Roles)})";
            player.PrintToChat($"Welcome, {answer.Player.Name}{roles}!");
        }

        /// <summary>Kicks, mutes or frees a player. False: the player was kicked.</summary>
        private bool Enforce(CCSPlayerController player, IEnumerable<Ban> all)
        {
            var steamId = player.SteamID;
            var active = all.Concat(outbox.BansOf(steamId))
                .Where(ban => ban.IsActive(Ban.Now) && !outbox.Lifts(ban.Id)).ToList();
            var refused = active.FirstOrDefault(ban => ban.Kind == BanKind.Ban);
            if (refused != null)
            {
                Refuse(player, $"You are banned: {refused.Explain()}");
                return false;
            }
            restrictions[steamId] = active;
            SetVoice(player, steamId, active.Any(ban => ban.StopsVoice));
            return true;
        }

        private void Refuse(CCSPlayerController player, string text)
        {
            Logger.LogInformation("{Name} ({SteamId}) is refused: {Text}", player.PlayerName, player.SteamID, text);
            player.PrintToConsole(text);
            player.PrintToChat(text);
            player.Disconnect(NetworkDisconnectionReason.NETWORK_DISCONNECT_REJECT_BANNED);
        }

        /// <summary>Expired mutes end within a second. No request is needed for it.</summary>
        private void EndMutes()
        {
            foreach (var steamId in muted.ToList())
            {
                var isMuted = restrictions[steamId].Any(ban => ban.StopsVoice && ban.IsActive(Ban.Now));
                SetVoice(Find(steamId), steamId, isMuted);
            }
        }

        /// <summary>
        /// Mutes again and again, because a new map can forget it. Frees only whom this plugin muted.
        /// </summary>
        private void SetVoice(CCSPlayerController player, ulong steamId, bool isMuted)
        {
            if (player != null && isMuted)
            {
                muted.Add(steamId);
                player.VoiceFlags |= VoiceFlags.Muted;
            }
            else if (player != null && muted.Remove(steamId))
            {
                player.VoiceFlags &= ~VoiceFlags.Muted;
            }
        }

        /// <summary>Gives money, or takes back what is left of it.</summary>
        private Task<Outcome> Give(Delivery delivery)
        {
            var done = new TaskCompletionSource<Outcome>();
            Server.NextFrame(() =>
            {
                var player = Find(delivery.SteamId);
                if (player?.InGameMoneyServices == null)
                {
                    done.SetResult(Outcome.PlayerLeft);
                    return;
                }
                if (delivery.Money < 1 || delivery.Money > MaximumMoney)
                {
                    done.SetResult(Outcome.Refused);
                    return;
                }
                var sum = player.InGameMoneyServices.Account + (delivery.IsRevoked ? -1 : 1) * delivery.Money;
                player.InGameMoneyServices.Account = Math.Max(0, Math.Min(sum, MaximumMoney));
                Utilities.SetStateChanged(player, "CCSPlayerController", "m_pInGameMoneyServices");
                player.PrintToChat($"{(delivery.IsRevoked ? "Taken back" : "Received")}: {delivery.Product}");
                done.SetResult(Outcome.Given);
            });
            return done.Task;
        }

        private static CCSPlayerController Find(ulong steamId)
        {
            return Utilities.GetPlayers().FirstOrDefault(player => player.IsValid && player.SteamID == steamId);
        }

        private string PathOf(string name)
        {
            return Path.Combine(ModuleDirectory, name);
        }

        /// <summary>A file that cannot be read must not keep the others from being used.</summary>
        private void LoadFile(Action load)
        {
            try
            {
                load();
            }
            catch (Exception error)
            {
                Logger.LogError(error, "A file of the plugin cannot be read");
            }
        }
    }
}
