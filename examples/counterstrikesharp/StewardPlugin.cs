using System;
using System.Threading.Tasks;
using CounterStrikeSharp.API;
using CounterStrikeSharp.API.Core;
using CounterStrikeSharp.API.Core.Attributes.Registration;
using CounterStrikeSharp.API.ValveConstants.Protobuf;
using Microsoft.Extensions.Logging;

namespace StewardPlugin
{
    /// <summary>configs/plugins/StewardPlugin/StewardPlugin.json. The key needs admin.users.read.</summary>
    public class StewardConfig : BasePluginConfig
    {
        public string Url { get; set; } = "http://127.0.0.1:8080";
        public string Key { get; set; } = "";
    }

    /// <summary>Greets linked players with their roles, and refuses those who are blocked in Steward.</summary>
    public class StewardPlugin : BasePlugin, IPluginConfig<StewardConfig>
    {
        public override string ModuleName => "Steward";
        public override string ModuleVersion => "1.0.0";

        public StewardConfig Config { get; set; }

        private StewardClient steward;

        public void OnConfigParsed(StewardConfig config)
        {
            Config = config;
            steward = new StewardClient(config.Url, config.Key);
        }

        public override void Unload(bool hotReload)
        {
            steward.Dispose();
        }

        [GameEventHandler]
        public HookResult OnPlayerConnectFull(EventPlayerConnectFull @event, GameEventInfo info)
        {
            var connected = @event.Userid;
            if (connected != null && connected.IsValid && !connected.IsBot)
            {
                // The game must not wait for the network. An error is logged, and the player may play.
                var steamId = connected.SteamID;
                Task.Run(() => Check(steamId));
            }
            return HookResult.Continue;
        }

        private async Task Check(ulong steamId)
        {
            try
            {
                var player = await steward.FindPlayer(steamId).ConfigureAwait(false);
                if (player != null)
                {
                    // Functions of the game may be called in its own thread only.
                    Server.NextFrame(() => Receive(steamId, player));
                }
            }
            catch (Exception error)
            {
                Logger.LogError(error, "Steward cannot look up {SteamId}", steamId);
            }
        }

        private void Receive(ulong steamId, Player player)
        {
            // The player may have left in the meantime.
            var connected = Utilities.GetPlayerFromSteamId(steamId);
            if (connected == null || !connected.IsValid)
            {
                return;
            }
            if (player.IsBlocked)
            {
                Logger.LogInformation("{Name} is blocked: {Reason}", player.Name, player.BlockReason);
                connected.Disconnect(NetworkDisconnectionReason.NETWORK_DISCONNECT_REJECT_BANNED);
                return;
            }
            var roles = player.Roles.Length == 0 ? "" : $" ({string.Join(", ", player.Roles)})";
            connected.PrintToChat($"Welcome, {player.Name}{roles}!");
        }
    }
}
