// Just enough of .NET 8 and CounterStrikeSharp to compile the plugin with Debian's C# compiler,
// which has neither. The signatures are theirs; nothing here does anything.
using System;
using System.Net;
using System.Threading.Tasks;

namespace System.Net.Http
{
    public sealed class HttpRequestHeaders
    {
        public void Add(string name, string value) => throw null;
    }

    public class HttpContent
    {
        public Task<string> ReadAsStringAsync() => throw null;
    }

    public class HttpResponseMessage : IDisposable
    {
        public HttpStatusCode StatusCode => throw null;
        public HttpContent Content => throw null;
        public HttpResponseMessage EnsureSuccessStatusCode() => throw null;
        public void Dispose() => throw null;
    }

    public class HttpClient : IDisposable
    {
        public Uri BaseAddress { get; set; }
        public TimeSpan Timeout { get; set; }
        public HttpRequestHeaders DefaultRequestHeaders => throw null;
        public Task<HttpResponseMessage> GetAsync(string requestUri) => throw null;
        public void Dispose() => throw null;
    }
}

namespace System.Text.Json
{
    public enum JsonValueKind : byte { Undefined, Object, Array, String, Number, True, False, Null }

    public struct JsonElement
    {
        public JsonValueKind ValueKind => throw null;
        public JsonElement this[int index] => throw null;
        public JsonElement GetProperty(string propertyName) => throw null;
        public int GetArrayLength() => throw null;
        public string GetString() => throw null;
    }

    public sealed class JsonDocument : IDisposable
    {
        public JsonElement RootElement => throw null;
        public static JsonDocument Parse(string json) => throw null;
        public void Dispose() => throw null;
    }
}

namespace Microsoft.Extensions.Logging
{
    public interface ILogger
    {
    }

    public static class LoggerExtensions
    {
        public static void LogError(
            this ILogger logger, Exception exception, string message, params object[] args) => throw null;

        public static void LogInformation(
            this ILogger logger, string message, params object[] args) => throw null;
    }
}

namespace CounterStrikeSharp.API
{
    public class Server
    {
        public static void NextFrame(Action task) => throw null;
    }

    public static class Utilities
    {
        public static Core.CCSPlayerController GetPlayerFromSteamId(ulong steamId) => throw null;
    }
}

namespace CounterStrikeSharp.API.ValveConstants.Protobuf
{
    public enum NetworkDisconnectionReason { NETWORK_DISCONNECT_REJECT_BANNED }
}

namespace CounterStrikeSharp.API.Core.Attributes.Registration
{
    [AttributeUsage(AttributeTargets.Method)]
    public class GameEventHandlerAttribute : Attribute
    {
    }
}

namespace CounterStrikeSharp.API.Core
{
    public enum HookResult { Continue }

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
        public abstract string ModuleName { get; }
        public abstract string ModuleVersion { get; }
        public Microsoft.Extensions.Logging.ILogger Logger => throw null;
        public virtual void Unload(bool hotReload) => throw null;
    }

    public class CCSPlayerController
    {
        public bool IsValid => throw null;
        public bool IsBot => throw null;
        public ulong SteamID => throw null;
        public void PrintToChat(string message) => throw null;
        public void Disconnect(ValveConstants.Protobuf.NetworkDisconnectionReason reason) => throw null;
    }

    public class GameEventInfo
    {
    }

    public class EventPlayerConnectFull
    {
        public CCSPlayerController Userid => throw null;
    }
}
