using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace StewardPlugin
{
    /// <summary>A ban or lift that somebody ordered in the game.</summary>
    public sealed class Order
    {
        /// <summary>The Idempotency-Key: one for each command, the same whenever it is sent.</summary>
        public string Key;
        public long OrderedAt;
        public string Path;
        public string Body;
        /// <summary>Who is told what came of it. 0: the server console.</summary>
        public ulong Caller;
        public ulong SteamId;
        /// <summary>"Banned anna (no end)".</summary>
        public string Summary;
        /// <summary>The ban that it lifts, or 0.</summary>
        public long Lifts;
        /// <summary>The ban that it makes, or null. It holds on this server before Steward has it.</summary>
        public Ban Makes;

        public string Write()
        {
            return JsonSerializer.Serialize(new Dictionary<string, object>
            {
                ["key"] = Key,
                ["ordered_at"] = OrderedAt,
                ["path"] = Path,
                ["body"] = Body,
                ["caller"] = Caller.ToString(),
                ["steam_id64"] = SteamId.ToString(),
                ["summary"] = Summary,
                ["lifts"] = Lifts,
            });
        }

        public static Order Read(string line)
        {
            using (var parsed = JsonDocument.Parse(line))
            {
                var order = parsed.RootElement;
                return new Order
                {
                    Key = order.GetProperty("key").GetString(),
                    OrderedAt = order.GetProperty("ordered_at").GetInt64(),
                    Path = order.GetProperty("path").GetString(),
                    Body = order.GetProperty("body").GetString(),
                    Caller = ulong.Parse(order.GetProperty("caller").GetString()),
                    SteamId = ulong.Parse(order.GetProperty("steam_id64").GetString()),
                    Summary = order.GetProperty("summary").GetString(),
                    Lifts = order.GetProperty("lifts").GetInt64(),
                }.WithBan();
            }
        }

        /// <summary>The body of a new ban has the names of the feed.</summary>
        public Order WithBan()
        {
            if (Lifts == 0)
            {
                using (var body = JsonDocument.Parse(Body))
                {
                    Makes = Ban.Parse(body.RootElement);
                }
            }
            return this;
        }
    }

    /// <summary>
    /// Orders that Steward has not confirmed. They are sent one after another, again and again while it is
    /// away, and survive a restart of the game server.
    /// </summary>
    public sealed class Outbox
    {
        /// <summary>Steward remembers an Idempotency-Key for as long.</summary>
        private const long KeptSeconds = 24 * 3600;

        private static readonly int[] RetrySeconds = { 1, 2, 5, 10, 30 };

        private readonly string file;
        private readonly Action<Exception> log;
        private readonly List<Order> orders = new List<Order>();
        private readonly object fileGuard = new object();
        private readonly SemaphoreSlim added = new SemaphoreSlim(0);

        public Outbox(string file, Action<Exception> log)
        {
            this.file = file;
            this.log = log;
        }

        public void Load()
        {
            foreach (var line in Storage.ReadLines(file))
            {
                lock (orders)
                {
                    orders.Add(Order.Read(line));
                }
                added.Release();
            }
        }

        public void Add(Order order)
        {
            lock (orders)
            {
                orders.Add(order);
            }
            // The game does not wait for the disk.
            Task.Run(() =>
            {
                Save();
                added.Release();
            });
        }

        /// <summary>The bans of a player that wait here.</summary>
        public List<Ban> BansOf(ulong steamId)
        {
            lock (orders)
            {
                return orders.Where(order => order.Makes != null && order.SteamId == steamId)
                    .Select(order => order.Makes).ToList();
            }
        }

        /// <summary>Whether the lift of a ban waits here.</summary>
        public bool Lifts(long banId)
        {
            lock (orders)
            {
                return banId != 0 && orders.Any(order => order.Lifts == banId);
            }
        }

        /// <summary>
        /// Sends what is added. `delayed` is told once of an order that has to wait; `sent` gets the reply,
        /// or null for an order that is too old.
        /// </summary>
        public async Task Run(
            StewardClient steward, Action<Order> delayed, Action<Order, Reply> sent, CancellationToken stop)
        {
            while (true)
            {
                await added.WaitAsync(stop).ConfigureAwait(false);
                Order order;
                lock (orders)
                {
                    order = orders[0];
                }
                var reply = await Send(steward, order, delayed, stop).ConfigureAwait(false);
                lock (orders)
                {
                    orders.Remove(order);
                }
                Save();
                sent(order, reply);
            }
        }

        private async Task<Reply> Send(
            StewardClient steward, Order order, Action<Order> delayed, CancellationToken stop)
        {
            for (var attempt = 0; Ban.Now < order.OrderedAt + KeptSeconds; attempt++)
            {
                try
                {
                    return await steward.Post(order.Path, order.Body, order.Key).ConfigureAwait(false);
                }
                catch (Exception error) when (!stop.IsCancellationRequested)
                {
                    if (attempt == 0)
                    {
                        log(error);
                        delayed(order);
                    }
                }
                var pause = RetrySeconds[Math.Min(attempt, RetrySeconds.Length - 1)];
                await Task.Delay(TimeSpan.FromSeconds(pause), stop).ConfigureAwait(false);
            }
            return null;
        }

        private void Save()
        {
            try
            {
                lock (fileGuard)
                {
                    string[] lines;
                    lock (orders)
                    {
                        lines = orders.Select(order => order.Write()).ToArray();
                    }
                    Storage.WriteLines(file, lines);
                }
            }
            catch (Exception error)
            {
                log(error);
            }
        }
    }
}
