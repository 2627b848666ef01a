// The part of CounterStrikeSharp that the plugin uses. Namespaces, names and parameters are those of its
// API; behind them is a game of players that the test makes. As in the real one, only the thread of the
// game may touch a player.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading;
using CounterStrikeSharp.API.Core;
using CounterStrikeSharp.API.Modules.Admin;
using CounterStrikeSharp.API.Modules.Commands;
using CounterStrikeSharp.API.Modules.Entities;
using CounterStrikeSharp.API.Modules.Timers;
using CounterStrikeSharp.API.ValveConstants.Protobuf;
using Timer = CounterStrikeSharp.API.Modules.Timers.Timer;

namespace Microsoft.Extensions.Logging
{
    public interface ILogger
    {
    }

    public static class LoggerExtensions
    {
        public static void LogError(
            this ILogger logger, Exception exception, string message, params object[] args)
        {
            Game.Log.Enqueue($"error: {message} [{string.Join(", ", args)}] {exception.Message}");
        }

        public static void LogWarning(this ILogger logger, string message, params object[] args)
        {
            Game.Log.Enqueue($"warning: {message} [{string.Join(", ", args)}]");
        }

        public static void LogInformation(this ILogger logger, string message, params object[] args)
        {
            Game.Log.Enqueue($"information: {message} [{string.Join(", ", args)}]");
        }
    }
}

namespace CounterStrikeSharp.API
{
    [Flags]
    public enum VoiceFlags : byte { Normal = 0, Muted = 1, All = 2, ListenAll = 4, Team = 8, ListenTeam = 16 }

    public class Server
    {
        public static void NextFrame(Action task) => Game.Frames.Enqueue(task);

        public static void PrintToConsole(string s)
        {
            Game.NeedThread();
            Game.Console.Add(s);
        }
    }

    public static class Utilities
    {
        public static List<CCSPlayerController> GetPlayers()
        {
            Game.NeedThread();
            return Game.Players.ToList();
        }

        public static void SetStateChanged(
            CCSPlayerController entity, string className, string fieldName, int extraOffset = 0)
        {
            Game.NeedThread();
        }
    }
}

namespace CounterStrikeSharp.API.ValveConstants.Protobuf
{
    public enum NetworkDisconnectionReason { NETWORK_DISCONNECT_REJECT_BANNED = 149 }
}

namespace CounterStrikeSharp.API.Modules.Admin
{
    [AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
    public class RequiresPermissions : Attribute
    {
        public HashSet<string> Permissions { get; }

        public RequiresPermissions(params string[] permissions)
        {
            Permissions = new HashSet<string>(permissions);
        }
    }

    public static class AdminManager
    {
        public static bool CanPlayerTarget(SteamID caller, SteamID target)
        {
            Game.Admins.TryGetValue(target.SteamId64, out var immunity);
            return Game.Admins.TryGetValue(caller.SteamId64, out var own) && own >= immunity;
        }
    }
}

namespace CounterStrikeSharp.API.Modules.Commands
{
    public enum CommandUsage { CLIENT_AND_SERVER = 0, CLIENT_ONLY, SERVER_ONLY }

    [AttributeUsage(AttributeTargets.Method)]
    public class CommandHelperAttribute : Attribute
    {
        public int MinArgs { get; }
        public string Usage { get; }
        public CommandUsage WhoCanExcecute { get; }

        public CommandHelperAttribute(
            int minArgs = 0, string usage = "", CommandUsage whoCanExecute = CommandUsage.CLIENT_AND_SERVER)
        {
            MinArgs = minArgs;
            Usage = usage;
            WhoCanExcecute = whoCanExecute;
        }
    }

    public class CommandInfo
    {
        public delegate HookResult CommandListenerCallback(CCSPlayerController player, CommandInfo commandInfo);

        private readonly string[] words;
        private bool isOver;

        public CCSPlayerController CallingPlayer { get; }

        internal CommandInfo(CCSPlayerController player, params string[] words)
        {
            CallingPlayer = player;
            this.words = words;
        }

        public int ArgCount => Live().words.Length;

        public string GetArg(int index) => index < Live().words.Length ? words[index] : "";

        public void ReplyToCommand(string message)
        {
            if (Live().CallingPlayer == null)
            {
                Server.PrintToConsole(message);
            }
            else
            {
                CallingPlayer.PrintToChat(message);
            }
        }

        /// <summary>The real one is a pointer that is invalid after the call.</summary>
        internal void End()
        {
            isOver = true;
        }

        private CommandInfo Live()
        {
            Game.NeedThread();
            return isOver ? throw new InvalidOperationException("the command is over") : this;
        }
    }
}

namespace CounterStrikeSharp.API.Modules.Entities
{
    public class SteamID
    {
        public ulong SteamId64 { get; set; }

        public SteamID(ulong id)
        {
            SteamId64 = id;
        }
    }
}

namespace CounterStrikeSharp.API.Modules.Timers
{
    [Flags]
    public enum TimerFlags { REPEAT = 1, STOP_ON_MAPCHANGE = 2 }

    public class Timer
    {
        internal float Interval;
        internal Action Callback;
        internal DateTime Next;
    }
}

namespace CounterStrikeSharp.API.Core.Attributes.Registration
{
    [AttributeUsage(AttributeTargets.Method)]
    public class GameEventHandlerAttribute : Attribute
    {
        public GameEventHandlerAttribute(HookMode mode = HookMode.Post)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
    public class ConsoleCommandAttribute : Attribute
    {
        public string Command { get; }
        public string Description { get; }

        public ConsoleCommandAttribute(string command, string description = null)
        {
            Command = command;
            Description = description;
        }
    }
}

namespace CounterStrikeSharp.API.Core
{
    public enum HookResult { Continue = 0, Changed = 1, Handled = 3, Stop = 4 }

    public enum HookMode { Pre = 0, Post = 1 }

    public class BasePluginConfig
    {
    }

    public interface IPluginConfig<T> where T : BasePluginConfig, new()
    {
        T Config { get; set; }
        void OnConfigParsed(T config);
    }

    public abstract class BasePlugin
    {
        internal readonly Dictionary<string, CommandInfo.CommandListenerCallback> CommandListeners =
            new Dictionary<string, CommandInfo.CommandListenerCallback>();
        internal readonly List<Timer> Timers = new List<Timer>();

        public abstract string ModuleName { get; }
        public abstract string ModuleVersion { get; }
        public string ModuleDirectory { get; internal set; }
        public Microsoft.Extensions.Logging.ILogger Logger => null;

        public virtual void Load(bool hotReload)
        {
        }

        public virtual void Unload(bool hotReload)
        {
        }

        public void AddCommandListener(
            string name, CommandInfo.CommandListenerCallback handler, HookMode mode = HookMode.Pre)
        {
            CommandListeners[name] = handler;
        }

        public Timer AddTimer(float interval, Action callback, TimerFlags? flags = null)
        {
            var timer = new Timer { Interval = interval, Callback = callback };
            Timers.Add(timer);
            return timer;
        }
    }

    public class CCSPlayerController_InGameMoneyServices
    {
        public int Account;
    }

    public class CCSPlayerController
    {
        internal readonly List<string> Said = new List<string>();
        internal bool IsKicked;
        internal ulong Id;
        internal string Name;
        internal string Address;
        internal VoiceFlags Voice;
        internal HashSet<string> Permissions = new HashSet<string>();
        private readonly CCSPlayerController_InGameMoneyServices money =
            new CCSPlayerController_InGameMoneyServices();

        public bool IsValid => Live().IsKicked == false;
        public bool IsBot => Live().Id == 0;
        public int? UserId { get; internal set; }
        public ulong SteamID => Live().Id;
        public string PlayerName => Live().Name;
        public string IpAddress => Live().Address;
        public CCSPlayerController_InGameMoneyServices InGameMoneyServices => Live().money;

        public VoiceFlags VoiceFlags
        {
            get => Live().Voice;
            set => Live().Voice = value;
        }

        public void PrintToChat(string message) => Live().Said.Add(message);

        public void PrintToConsole(string message) => Live().Said.Add(message);

        public void Disconnect(NetworkDisconnectionReason reason)
        {
            Live().IsKicked = true;
            Game.Players.Remove(this);
            Game.Leave(this);
        }

        private CCSPlayerController Live()
        {
            Game.NeedThread();
            return this;
        }
    }

    public class GameEventInfo
    {
    }

    public class EventPlayerConnectFull
    {
        public CCSPlayerController Userid { get; internal set; }
    }

    public class EventPlayerDisconnect
    {
        public CCSPlayerController Userid { get; internal set; }
    }
}

/// <summary>The fake game: its players, its frames, and what it does with a plugin.</summary>
internal static class Game
{
    internal static readonly ConcurrentQueue<Action> Frames = new ConcurrentQueue<Action>();
    internal static readonly ConcurrentQueue<string> Log = new ConcurrentQueue<string>();
    internal static readonly List<string> Console = new List<string>();
    internal static readonly List<CCSPlayerController> Players = new List<CCSPlayerController>();
    /// <summary>The immunity of each admin.</summary>
    internal static readonly Dictionary<ulong, int> Admins = new Dictionary<ulong, int>();

    private static readonly Thread thread = Thread.CurrentThread;
    private static StewardPlugin.StewardPlugin plugin;
    private static int lastUserId;

    /// <summary>The longest time that the plugin kept the game waiting.</summary>
    internal static TimeSpan LongestPause;

    internal static void NeedThread()
    {
        if (Thread.CurrentThread != thread)
        {
            throw new InvalidOperationException("not the thread of the game");
        }
    }

    internal static void Load(string folder, StewardPlugin.StewardConfig config)
    {
        plugin = new StewardPlugin.StewardPlugin { ModuleDirectory = folder };
        plugin.OnConfigParsed(config);
        plugin.Load(false);
    }

    /// <summary>The game server stops.</summary>
    internal static void Stop()
    {
        Players.Clear();
        plugin.Unload(false);
        while (Frames.TryDequeue(out _))
        {
        }
    }

    internal static CCSPlayerController Join(ulong steamId, string name, string address = "192.0.2.1:27005")
    {
        var player = new CCSPlayerController
        {
            Id = steamId, Name = name, Address = address, UserId = ++lastUserId,
        };
        Players.Add(player);
        Measure(() => plugin.OnPlayerConnectFull(new EventPlayerConnectFull { Userid = player }, null));
        return player;
    }

    internal static void Leave(CCSPlayerController player)
    {
        Players.Remove(player);
        Measure(() => plugin.OnPlayerDisconnect(new EventPlayerDisconnect { Userid = player }, null));
    }

    /// <summary>Whether the plugin knows what holds for a player.</summary>
    internal static bool IsAnswered(CCSPlayerController player)
    {
        var answered = plugin.GetType().GetField("answered", BindingFlags.NonPublic | BindingFlags.Instance);
        return ((Dictionary<ulong, long>)answered.GetValue(plugin)).ContainsKey(player.Id);
    }

    /// <summary>Whether others read it.</summary>
    internal static bool Say(CCSPlayerController player, string text)
    {
        var result = HookResult.Continue;
        Measure(() => result = plugin.CommandListeners["say"](player, new CommandInfo(player, "say", text)));
        return result < HookResult.Handled;
    }

    /// <summary>A command of a player, or with null of the server console. Whether it was carried out.</summary>
    internal static bool Command(CCSPlayerController caller, params string[] words)
    {
        var method = plugin.GetType().GetMethods().Single(each => each
            .GetCustomAttributes<CounterStrikeSharp.API.Core.Attributes.Registration.ConsoleCommandAttribute>()
            .Any(command => command.Command == words[0]));
        var helper = method.GetCustomAttribute<CommandHelperAttribute>();
        var needed = method.GetCustomAttributes<RequiresPermissions>().SelectMany(each => each.Permissions);
        var isRefused = words.Length - 1 < helper.MinArgs
            || caller != null && helper.WhoCanExcecute == CommandUsage.SERVER_ONLY
            || caller != null && !needed.All(caller.Permissions.Contains);
        if (isRefused)
        {
            return false;
        }
        var info = new CommandInfo(caller, words);
        Measure(() => method.Invoke(plugin, new object[] { caller, info }));
        info.End();
        return true;
    }

    /// <summary>Runs frames until something holds. Fails after ten seconds.</summary>
    internal static void Until(string what, Func<bool> holds)
    {
        var end = DateTime.UtcNow.AddSeconds(10);
        while (!holds())
        {
            if (DateTime.UtcNow > end)
            {
                throw new TimeoutException($"{what} did not happen\n{string.Join("\n", Log)}");
            }
            Frame();
            Thread.Sleep(5);
        }
    }

    private static void Frame()
    {
        while (Frames.TryDequeue(out var task))
        {
            Measure(task);
        }
        foreach (var timer in plugin.Timers.Where(timer => timer.Next <= DateTime.UtcNow))
        {
            timer.Next = DateTime.UtcNow.AddSeconds(timer.Interval);
            Measure(timer.Callback);
        }
    }

    private static void Measure(Action action)
    {
        var begin = DateTime.UtcNow;
        action();
        var pause = DateTime.UtcNow - begin;
        LongestPause = pause > LongestPause ? pause : LongestPause;
    }
}
