using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace StewardPlugin
{
    /// <summary>What the plugin needs to know of a player who linked the Steam account.</summary>
    public sealed class Player
    {
        public string Name;
        public string[] Roles;
        public bool IsBlocked;
        public string BlockReason;
    }

    /// <summary>What Steward says about somebody who connects.</summary>
    public sealed class Answer
    {
        public List<Ban> Bans = new List<Ban>();
        /// <summary>Null if the Steam account is linked to no user.</summary>
        public Player Player;
    }

    public sealed class Reply
    {
        public int Status;
        public string Text;
        public string ETag;

        public bool IsSuccess => Status >= 200 && Status < 300;

        /// <summary>What was wrong, for a person: the first fault, or else the message.</summary>
        public string Explain()
        {
            try
            {
                using (var body = JsonDocument.Parse(Text))
                {
                    var error = body.RootElement;
                    if (error.TryGetProperty("faults", out var faults) && faults.GetArrayLength() > 0
                        && error.TryGetProperty("errors", out var errors))
                    {
                        var field = faults[0].GetProperty("field").GetString();
                        return $"{field} {errors.GetProperty(field)[0].GetString()}";
                    }
                    return error.GetProperty("message").GetString();
                }
            }
            catch (Exception)
            {
                return $"status {Status}";
            }
        }
    }

    /// <summary>Steward cannot be reached, or is too busy: the same request may succeed later.</summary>
    public sealed class StewardUnavailable : Exception
    {
        public StewardUnavailable(string message, Exception cause = null) : base(message, cause)
        {
        }
    }

    /// <summary>Steward does not do this: a permission is missing, for example.</summary>
    public sealed class StewardRefused : Exception
    {
        public StewardRefused(string message) : base(message)
        {
        }
    }

    /// <summary>The cursor is too old or from another database: read the feed from its beginning.</summary>
    public sealed class CursorExpired : Exception
    {
    }

    /// <summary>The part of the plugin that talks to Steward. It never runs in the thread of the game.</summary>
    public sealed class StewardClient : IDisposable
    {
        /// <summary>Players whose last answer is kept for If-None-Match.</summary>
        private const int CacheSize = 500;

        private readonly HttpClient http;
        private readonly long serverId;
        private readonly Dictionary<string, Reply> cache = new Dictionary<string, Reply>();
        private string feedPath;
        private string feedETag;

        public StewardClient(string url, string key, long serverId)
        {
            this.serverId = serverId;
            http = new HttpClient { BaseAddress = new Uri(url), Timeout = TimeSpan.FromSeconds(5) };
            http.DefaultRequestHeaders.Add("X-API-Key", key);
        }

        /// <summary>Bans, mutes and the account of one player, in one request.</summary>
        public async Task<Answer> Check(ulong steamId, IPAddress ip)
        {
            var path = $"/api/bans/check?steam_id64={steamId}&server_id={serverId}&include=user";
            if (ip != null)
            {
                path += $"&ip={Uri.EscapeDataString(ip.ToString())}";
            }
            Reply known;
            lock (cache)
            {
                cache.TryGetValue(path, out known);
            }
            var reply = await Get(path, known?.ETag).ConfigureAwait(false);
            if (reply.Status == 304)
            {
                reply = known;
            }
            using (var body = Parse(reply))
            {
                var answer = new Answer
                {
                    Bans = ReadBans(body.RootElement),
                    Player = ReadPlayer(body.RootElement.GetProperty("user")),
                };
                lock (cache)
                {
                    if (cache.Count >= CacheSize)
                    {
                        cache.Clear();
                    }
                    cache[path] = reply;
                }
                return answer;
            }
        }

        /// <summary>Bans and mutes of up to 100 players, in the order asked.</summary>
        public async Task<List<List<Ban>>> CheckMany(IEnumerable<KeyValuePair<ulong, IPAddress>> players)
        {
            var asked = players.Select(player => new Dictionary<string, object>
            {
                ["steam_id64"] = player.Key.ToString(CultureInfo.InvariantCulture),
                ["ip"] = player.Value?.ToString(),
            }).ToArray();
            var text = JsonSerializer.Serialize(
                new Dictionary<string, object> { ["players"] = asked, ["server_id"] = serverId });
            using (var body = Parse(await Post("/api/bans/check", text, null).ConfigureAwait(false)))
            {
                return body.RootElement.GetProperty("players").EnumerateArray().Select(ReadBans).ToList();
            }
        }

        /// <summary>Reads the whole feed, a line at a time. The first line has the cursor.</summary>
        public async Task ReadFeed(Action<string> readLine)
        {
            var request = new HttpRequestMessage(HttpMethod.Get, $"/api/bans/feed?server_id={serverId}");
            try
            {
                using (var reply = await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead)
                    .ConfigureAwait(false))
                {
                    reply.EnsureSuccessStatusCode();
                    // The timeout of the client ends with the headers.
                    using (var limit = new CancellationTokenSource(TimeSpan.FromMinutes(5)))
                    using (limit.Token.Register(reply.Dispose))
                    using (var stream = await reply.Content.ReadAsStreamAsync().ConfigureAwait(false))
                    using (var reader = new StreamReader(stream, Encoding.UTF8))
                    {
                        string line;
                        while ((line = await reader.ReadLineAsync().ConfigureAwait(false)) != null)
                        {
                            readLine(line);
                        }
                    }
                }
            }
            catch (Exception error) when (IsNetwork(error) || error is ObjectDisposedException)
            {
                throw new StewardUnavailable(error.Message, error);
            }
        }

        /// <summary>
        /// What changed since the cursor on any server, or null if nothing did: a ban that was moved to
        /// other servers has to leave the copy.
        /// </summary>
        public async Task<JsonDocument> ReadChanges(string cursor)
        {
            var path = $"/api/bans/feed?after={Uri.EscapeDataString(cursor)}";
            var reply = await Get(path, path == feedPath ? feedETag : null).ConfigureAwait(false);
            if (reply.Status == 304)
            {
                return null;
            }
            if (reply.Status == 409)
            {
                throw new CursorExpired();
            }
            var body = Parse(reply);
            feedPath = path;
            feedETag = reply.ETag;
            return body;
        }

        /// <summary>The items that wait for one player, or for all.</summary>
        public async Task<JsonDocument> ReadDeliveries(ulong steamId)
        {
            var filter = steamId == 0 ? "" : $"?steam_id64={steamId}";
            return Parse(await Get($"/api/servers/{serverId}/deliveries{filter}", null).ConfigureAwait(false));
        }

        /// <summary>Says that an item was given, or why it cannot be.</summary>
        public async Task Confirm(long deliveryId, string failure)
        {
            var path = $"/api/servers/{serverId}/deliveries/{deliveryId}/";
            var reply = failure == null
                ? await Post(path + "done", "{}", null).ConfigureAwait(false)
                : await Post(
                    path + "failed",
                    JsonSerializer.Serialize(new Dictionary<string, object> { ["reason"] = failure }),
                    null).ConfigureAwait(false);
            Parse(reply).Dispose();
        }

        /// <summary>A request with the same key is carried out once, however often it is sent.</summary>
        public Task<Reply> Post(string path, string body, string idempotencyKey)
        {
            var request = new HttpRequestMessage(HttpMethod.Post, path)
            {
                Content = new StringContent(body, Encoding.UTF8, "application/json"),
            };
            if (idempotencyKey != null)
            {
                request.Headers.Add("Idempotency-Key", idempotencyKey);
            }
            return Send(request);
        }

        private Task<Reply> Get(string path, string etag)
        {
            var request = new HttpRequestMessage(HttpMethod.Get, path);
            if (etag != null)
            {
                request.Headers.TryAddWithoutValidation("If-None-Match", etag);
            }
            return Send(request);
        }

        private async Task<Reply> Send(HttpRequestMessage request)
        {
            try
            {
                using (var reply = await http.SendAsync(request).ConfigureAwait(false))
                {
                    var status = (int)reply.StatusCode;
                    if (status >= 500 || status == 429)
                    {
                        throw new StewardUnavailable($"status {status}");
                    }
                    return new Reply
                    {
                        Status = status,
                        Text = await reply.Content.ReadAsStringAsync().ConfigureAwait(false),
                        ETag = reply.Headers.ETag?.ToString(),
                    };
                }
            }
            catch (Exception error) when (IsNetwork(error))
            {
                throw new StewardUnavailable(error.Message, error);
            }
        }

        /// <summary>A timeout is an OperationCanceledException.</summary>
        private static bool IsNetwork(Exception error)
        {
            return error is HttpRequestException || error is IOException || error is WebException
                || error is OperationCanceledException;
        }

        private static JsonDocument Parse(Reply reply)
        {
            if (!reply.IsSuccess)
            {
                throw new StewardRefused(reply.Explain());
            }
            return JsonDocument.Parse(reply.Text);
        }

        private static List<Ban> ReadBans(JsonElement answer)
        {
            return answer.GetProperty("bans").EnumerateArray().Select(Ban.Parse).ToList();
        }

        private static Player ReadPlayer(JsonElement user)
        {
            if (user.ValueKind == JsonValueKind.Null)
            {
                return null;
            }
            var block = user.GetProperty("block");
            var isBlocked = block.ValueKind != JsonValueKind.Null;
            return new Player
            {
                Name = user.GetProperty("username").GetString(),
                Roles = user.GetProperty("roles").EnumerateArray()
                    .Select(role => role.GetProperty("name").GetString()).ToArray(),
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
