using System;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;

namespace StewardPlugin
{
    /// <summary>What the plugin needs to know of a player.</summary>
    public sealed class Player
    {
        public string Name;
        public string[] Roles;
        public bool IsBlocked;
        public string BlockReason;
    }

    /// <summary>The part of the plugin that talks to Steward.</summary>
    public sealed class StewardClient : IDisposable
    {
        private readonly HttpClient http;

        public StewardClient(string url, string key)
        {
            http = new HttpClient { BaseAddress = new Uri(url), Timeout = TimeSpan.FromSeconds(5) };
            http.DefaultRequestHeaders.Add("X-API-Key", key);
        }

        /// <summary>The player who linked this Steam account, or null. One request tells everything.</summary>
        public async Task<Player> FindPlayer(ulong steamId)
        {
            var path = $"/api/users/by-social/steam/{steamId}?include=roles,block";
            using (var reply = await http.GetAsync(path).ConfigureAwait(false))
            {
                if (reply.StatusCode == HttpStatusCode.NotFound)
                {
                    return null;
                }
                reply.EnsureSuccessStatusCode();
                var text = await reply.Content.ReadAsStringAsync().ConfigureAwait(false);
                using (var body = JsonDocument.Parse(text))
                {
                    return ReadPlayer(body.RootElement.GetProperty("user"));
                }
            }
        }

        private static Player ReadPlayer(JsonElement user)
        {
            var roles = user.GetProperty("roles");
            var names = new string[roles.GetArrayLength()];
            for (var i = 0; i < names.Length; i++)
            {
                names[i] = roles[i].GetProperty("name").GetString();
            }
            var block = user.GetProperty("block");
            var isBlocked = block.ValueKind != JsonValueKind.Null;
            return new Player
            {
                Name = user.GetProperty("username").GetString(),
                Roles = names,
                IsBlocked = isBlocked,
                BlockReason = isBlocked ? block.GetProperty("reason").GetString() : "",
            };
        }

        public void Dispose()
        {
            http.Dispose();
        }
    }
}
