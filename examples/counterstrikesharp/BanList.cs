using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Text.Json;
using System.Threading.Tasks;

namespace StewardPlugin
{
    /// <summary>
    /// The copy of the feed: who is banned while Steward is away. Its file is a log. The first line says
    /// which feed it is of; then bans as the feed shows them, and after them the cursor that they lead to.
    /// </summary>
    public sealed class BanList
    {
        /// <summary>The file is written anew when it has this many lines more than there are bans.</summary>
        private const int SpareLines = 10000;

        private readonly string file;
        private readonly string origin;
        private readonly long serverId;
        private readonly object guard = new object();
        private Index index = new Index();
        private string cursor;
        private long lines;

        public BanList(string file, string url, long serverId)
        {
            this.file = file;
            this.serverId = serverId;
            origin = JsonSerializer.Serialize(
                new Dictionary<string, object> { ["feed"] = url, ["server_id"] = serverId });
        }

        public int Count
        {
            get
            {
                lock (guard)
                {
                    return index.Count;
                }
            }
        }

        /// <summary>What holds for a player now.</summary>
        public List<Ban> Find(ulong steamId, IPAddress ip)
        {
            lock (guard)
            {
                return index.Find(steamId, ip).Where(ban => ban.IsActive(Ban.Now)).ToList();
            }
        }

        /// <summary>Reads the file. One of another feed is left alone until the feed is read.</summary>
        public void Load()
        {
            if (!File.Exists(file))
            {
                return;
            }
            using (var reader = new StreamReader(file))
            {
                if (reader.ReadLine() != origin)
                {
                    return;
                }
                string line;
                while ((line = reader.ReadLine()) != null)
                {
                    try
                    {
                        ReadLine(index, line);
                        lines++;
                    }
                    catch (Exception)
                    {
                        // A write that was cut off. The cursor before it leads to the same bans again,
                        // but nothing can be appended to half a line.
                        lines = long.MaxValue / 2;
                        break;
                    }
                }
            }
        }

        /// <summary>Follows the feed to its end. Whether anything changed.</summary>
        public async Task<bool> Update(StewardClient steward)
        {
            if (cursor == null || lines > Count + SpareLines)
            {
                await ReadAll(steward).ConfigureAwait(false);
                return true;
            }
            try
            {
                return await ReadChanges(steward).ConfigureAwait(false);
            }
            catch (CursorExpired)
            {
                await ReadAll(steward).ConfigureAwait(false);
                return true;
            }
        }

        private async Task ReadAll(StewardClient steward)
        {
            var fresh = new Index();
            var copy = file + ".new";
            string begin = null;
            long count = 1;
            using (var writer = new StreamWriter(copy))
            {
                writer.WriteLine(origin);
                await steward.ReadFeed(line =>
                {
                    if (begin == null)
                    {
                        begin = line;
                        return;
                    }
                    ReadLine(fresh, line);
                    writer.WriteLine(line);
                    count++;
                }).ConfigureAwait(false);
                writer.WriteLine(begin);
            }
            Storage.Replace(copy, file);
            lock (guard)
            {
                index = fresh;
                lines = count;
            }
            using (var first = JsonDocument.Parse(begin))
            {
                cursor = first.RootElement.GetProperty("cursor").ToString();
            }
        }

        private async Task<bool> ReadChanges(StewardClient steward)
        {
            var changed = false;
            while (true)
            {
                using (var body = await steward.ReadChanges(cursor).ConfigureAwait(false))
                {
                    if (body == null)
                    {
                        return changed;
                    }
                    var bans = body.RootElement.GetProperty("bans");
                    var next = body.RootElement.GetProperty("cursor");
                    if (next.ToString() != cursor)
                    {
                        var read = bans.EnumerateArray().Select(ban => ban.GetRawText())
                            .Append(JsonSerializer.Serialize(
                                new Dictionary<string, object> { ["cursor"] = next.ToString() }))
                            .ToList();
                        File.AppendAllLines(file, read);
                        lock (guard)
                        {
                            read.ForEach(line => ReadLine(index, line));
                            lines += read.Count;
                        }
                    }
                    changed |= bans.GetArrayLength() > 0;
                    if (!body.RootElement.GetProperty("more").GetBoolean())
                    {
                        return changed;
                    }
                }
            }
        }

        private void ReadLine(Index bans, string line)
        {
            using (var parsed = JsonDocument.Parse(line))
            {
                var element = parsed.RootElement;
                if (element.TryGetProperty("cursor", out var end))
                {
                    cursor = end.ToString();
                    return;
                }
                var ban = Ban.Parse(element);
                bans.Remove(ban.Id);
                if (Ban.HoldsOn(element, serverId))
                {
                    bans.Add(ban);
                }
            }
        }

        /// <summary>Bans by what they are looked up by.</summary>
        private sealed class Index
        {
            private readonly Dictionary<long, Ban> byId = new Dictionary<long, Ban>();
            private readonly Dictionary<ulong, List<Ban>> bySteamId = new Dictionary<ulong, List<Ban>>();
            private readonly Dictionary<string, List<Ban>> byRange = new Dictionary<string, List<Ban>>();

            public int Count => byId.Count;

            public void Add(Ban ban)
            {
                byId[ban.Id] = ban;
                if (ban.SteamId != 0)
                {
                    ListOf(bySteamId, ban.SteamId).Add(ban);
                }
                if (ban.Range != null)
                {
                    ListOf(byRange, ban.Range).Add(ban);
                }
            }

            public void Remove(long id)
            {
                if (!byId.TryGetValue(id, out var ban))
                {
                    return;
                }
                byId.Remove(id);
                if (ban.SteamId != 0)
                {
                    Forget(bySteamId, ban.SteamId, ban);
                }
                if (ban.Range != null)
                {
                    Forget(byRange, ban.Range, ban);
                }
            }

            public IEnumerable<Ban> Find(ulong steamId, IPAddress ip)
            {
                var found = new HashSet<Ban>();
                if (bySteamId.TryGetValue(steamId, out var bans))
                {
                    found.UnionWith(bans);
                }
                if (ip != null && byRange.Count > 0)
                {
                    foreach (var key in IpRange.KeysOf(ip))
                    {
                        if (byRange.TryGetValue(key, out bans))
                        {
                            found.UnionWith(bans);
                        }
                    }
                }
                return found;
            }

            private static List<Ban> ListOf<T>(Dictionary<T, List<Ban>> lists, T key)
            {
                if (!lists.TryGetValue(key, out var list))
                {
                    lists[key] = list = new List<Ban>(1);
                }
                return list;
            }

            private static void Forget<T>(Dictionary<T, List<Ban>> lists, T key, Ban ban)
            {
                lists[key].Remove(ban);
                if (lists[key].Count == 0)
                {
                    lists.Remove(key);
                }
            }
        }
    }
}
