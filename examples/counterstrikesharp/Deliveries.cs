using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace StewardPlugin
{
    /// <summary>Something that a player bought, or that is taken back.</summary>
    public sealed class Delivery
    {
        public long Id;
        public ulong SteamId;
        public string Product;
        public bool IsRevoked;
        /// <summary>What this plugin can give: money. 0 if the payload asks for something else.</summary>
        public int Money;
    }

    public enum Outcome { Given, Refused, PlayerLeft }

    /// <summary>
    /// Fetches what players bought, and confirms it. Steward delivers at least once, so a file remembers
    /// the ids: "giving 7" before the item is given, "given 7" after it.
    /// </summary>
    public sealed class Deliveries
    {
        private const int Remembered = 1000;

        private readonly string file;
        private readonly Func<Delivery, Task<Outcome>> give;
        private readonly Action<Exception> log;
        private readonly SemaphoreSlim one = new SemaphoreSlim(1);
        private readonly Queue<long> order = new Queue<long>();
        private readonly Dictionary<long, string> states = new Dictionary<long, string>();

        /// <param name="file">Where the ids are remembered.</param>
        /// <param name="give">Gives the item in the game.</param>
        /// <param name="log">Gets what Steward refuses.</param>
        public Deliveries(string file, Func<Delivery, Task<Outcome>> give, Action<Exception> log)
        {
            this.file = file;
            this.give = give;
            this.log = log;
        }

        public void Load()
        {
            foreach (var line in Storage.ReadLines(file))
            {
                var words = line.Split(' ');
                Remember(long.Parse(words[1], CultureInfo.InvariantCulture), words[0]);
            }
        }

        /// <summary>Gives what waits for one player, or with 0 for all who are connected.</summary>
        public async Task Fetch(StewardClient steward, ulong steamId, Func<ulong, bool> isConnected)
        {
            // One at a time, so that nothing is fetched again before it is remembered.
            await one.WaitAsync().ConfigureAwait(false);
            try
            {
                using (var body = await steward.ReadDeliveries(steamId).ConfigureAwait(false))
                {
                    var waiting = body.RootElement.GetProperty("deliveries").EnumerateArray().Select(Parse);
                    foreach (var delivery in waiting.Where(delivery => isConnected(delivery.SteamId)))
                    {
                        try
                        {
                            await Deliver(steward, delivery).ConfigureAwait(false);
                        }
                        catch (StewardRefused error)
                        {
                            // The other items do not wait for this one.
                            log(error);
                        }
                    }
                }
            }
            finally
            {
                one.Release();
            }
        }

        private async Task Deliver(StewardClient steward, Delivery delivery)
        {
            string failure = null;
            var state = states.ContainsKey(delivery.Id) ? states[delivery.Id] : "new";
            if (state == "new" || state == "failed")
            {
                Save(delivery.Id, "giving");
                var outcome = await give(delivery).ConfigureAwait(false);
                if (outcome == Outcome.PlayerLeft)
                {
                    // The item waits for the next time.
                    Save(delivery.Id, "failed");
                    return;
                }
                if (outcome == Outcome.Refused)
                {
                    failure = "The plugin cannot give this; it knows money only.";
                }
            }
            else if (state == "giving")
            {
                failure = "The game server stopped while it gave this. Ask the player.";
            }
            Save(delivery.Id, failure == null ? "given" : "failed");
            await steward.Confirm(delivery.Id, failure).ConfigureAwait(false);
        }

        private void Save(long id, string state)
        {
            Remember(id, state);
            Storage.WriteLines(file, order.Select(known => $"{states[known]} {known}"));
        }

        private void Remember(long id, string state)
        {
            if (!states.ContainsKey(id))
            {
                order.Enqueue(id);
            }
            states[id] = state;
            while (order.Count > Remembered)
            {
                states.Remove(order.Dequeue());
            }
        }

        private static Delivery Parse(JsonElement delivery)
        {
            var payload = delivery.GetProperty("payload");
            var steamId = delivery.GetProperty("steam_id64").GetString();
            var amount = 0;
            var hasMoney = payload.TryGetProperty("money", out var money)
                && money.ValueKind == JsonValueKind.Number && money.TryGetInt32(out amount);
            return new Delivery
            {
                Id = delivery.GetProperty("id").GetInt64(),
                SteamId = ulong.Parse(steamId, CultureInfo.InvariantCulture),
                Product = delivery.GetProperty("product").GetProperty("name").GetString(),
                IsRevoked = delivery.GetProperty("kind").GetString() == "revoke",
                Money = hasMoney ? amount : 0,
            };
        }
    }
}
