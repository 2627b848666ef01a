using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace StewardPlugin
{
    /// <summary>A value that Steward may add later is Other, and is not enforced.</summary>
    public enum BanKind { Other, Ban, Mute, Gag, Silence }

    /// <summary>A ban or mute, as the check and the feed show it.</summary>
    public sealed class Ban
    {
        public long Id;
        public BanKind Kind;
        /// <summary>0 if the ban names no Steam account.</summary>
        public ulong SteamId;
        /// <summary>The key of the address range, or null.</summary>
        public string Range;
        public string Reason;
        /// <summary>Unix seconds. The largest number: no end.</summary>
        public long ExpiresAt;

        public bool StopsVoice => Kind == BanKind.Mute || Kind == BanKind.Silence;
        public bool StopsChat => Kind == BanKind.Gag || Kind == BanKind.Silence;

        public static long Now => DateTimeOffset.UtcNow.ToUnixTimeSeconds();

        public bool IsActive(long now)
        {
            return ExpiresAt > now;
        }

        /// <summary>What the player reads: the reason and the end.</summary>
        public string Explain()
        {
            if (ExpiresAt == long.MaxValue)
            {
                return $"{Reason} (no end)";
            }
            var end = DateTimeOffset.FromUnixTimeSeconds(ExpiresAt);
            return $"{Reason} (until {end.ToString("yyyy-MM-dd HH:mm", CultureInfo.InvariantCulture)} UTC)";
        }

        public static Ban Parse(JsonElement ban)
        {
            var steamId = Text(ban, "steam_id64");
            var range = Text(ban, "ip_range");
            var end = Text(ban, "expires_at");
            return new Ban
            {
                Id = ban.TryGetProperty("id", out var id) ? id.GetInt64() : 0,
                Kind = ParseKind(Text(ban, "kind")),
                SteamId = steamId == null ? 0 : ulong.Parse(steamId, CultureInfo.InvariantCulture),
                Range = range == null ? null : IpRange.KeyOf(range),
                Reason = Text(ban, "reason") ?? "",
                ExpiresAt = end == null ? long.MaxValue : ParseTime(end),
            };
        }

        /// <summary>Whether the ban is not over and holds on this server.</summary>
        public static bool HoldsOn(JsonElement ban, long serverId)
        {
            if (Text(ban, "state") != "active")
            {
                return false;
            }
            var servers = ban.GetProperty("server_ids");
            return servers.GetArrayLength() == 0
                || servers.EnumerateArray().Any(server => server.GetInt64() == serverId);
        }

        private static BanKind ParseKind(string kind)
        {
            switch (kind)
            {
                case "ban": return BanKind.Ban;
                case "mute": return BanKind.Mute;
                case "gag": return BanKind.Gag;
                case "silence": return BanKind.Silence;
                default: return BanKind.Other;
            }
        }

        private static string Text(JsonElement element, string name)
        {
            return element.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String
                ? value.GetString()
                : null;
        }

        private static long ParseTime(string time)
        {
            return DateTimeOffset.Parse(time, CultureInfo.InvariantCulture).ToUnixTimeSeconds();
        }
    }

    /// <summary>
    /// Address ranges as keys: a range has one, an address has one for each prefix length. So a look-up
    /// takes the same time however many ranges there are.
    /// </summary>
    public static class IpRange
    {
        /// <summary>The key of an address or a CIDR range, or null if it is neither.</summary>
        public static string KeyOf(string range)
        {
            var parts = range.Split('/');
            if (parts.Length > 2 || !IPAddress.TryParse(parts[0], out var address))
            {
                return null;
            }
            var length = address.GetAddressBytes().Length * 8;
            var prefix = length;
            if (parts.Length == 2
                && !int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out prefix))
            {
                return null;
            }
            if (prefix > length)
            {
                return null;
            }
            // ::ffff:192.0.2.0/120 is 192.0.2.0/24.
            if (address.IsIPv4MappedToIPv6 && prefix >= 96)
            {
                address = address.MapToIPv4();
                prefix -= 96;
            }
            return Key(address.GetAddressBytes(), prefix);
        }

        /// <summary>The keys of all ranges that an address is in.</summary>
        public static IEnumerable<string> KeysOf(IPAddress address)
        {
            var bytes = (address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address).GetAddressBytes();
            for (var prefix = bytes.Length * 8; prefix >= 0; prefix--)
            {
                yield return Key(bytes, prefix);
            }
        }

        /// <summary>The address in "192.0.2.1:27005", or null. The port may be absent.</summary>
        public static IPAddress ParsePlayer(string text)
        {
            if (string.IsNullOrEmpty(text))
            {
                return null;
            }
            var colon = text.IndexOf(':');
            if (text[0] == '[' && text.IndexOf(']') > 0)
            {
                text = text.Substring(1, text.IndexOf(']') - 1);
            }
            else if (colon >= 0 && colon == text.LastIndexOf(':'))
            {
                text = text.Substring(0, colon);
            }
            if (!IPAddress.TryParse(text, out var address))
            {
                return null;
            }
            return address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
        }

        private static string Key(byte[] address, int prefix)
        {
            var network = new byte[address.Length];
            for (var i = 0; i < network.Length; i++)
            {
                var bits = Math.Min(8, Math.Max(0, prefix - i * 8));
                network[i] = (byte)(address[i] & (0xff << (8 - bits)));
            }
            return $"{prefix}/{Convert.ToBase64String(network)}";
        }
    }
}
