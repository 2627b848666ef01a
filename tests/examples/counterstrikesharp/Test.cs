// Plays with the plugin on a fake game server, against a real service.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using CounterStrikeSharp.API;
using CounterStrikeSharp.API.Core;
using StewardPlugin;

internal static class Test
{
    private const ulong Anna = 76561197960265729;
    private const ulong Mallory = 76561197960265730;
    private const ulong Trent = 76561197960265731;
    private const ulong Moderator = 76561197960265732;
    private const ulong Owner = 76561197960265733;
    private const ulong Frank = 76561197960265734;

    private static readonly HttpClient admin = new HttpClient();
    private static Wire wire;
    private static string folder;
    private static StewardConfig config;

    private static int Main()
    {
        AddressesAreMatched();
        TextIsReadAsJson();
        Prepare();
        PlayersAreGreetedOrRefused();
        AddressesAreRefused();
        ABanHoldsOnItsServersOnly();
        MutesStopVoiceAndGagsChat();
        CommandsInTheGameMakeAndLift();
        ACommandIsCarriedOutOnceThoughItsReplyIsLost();
        OnlyModeratorsGiveOrders();
        TheServiceKicksAndMutesOverTheConsole();
        ItemsAreGivenOnceAndTakenBack();
        TheGameNeverWaits();
        TheCopyRefusesWhileTheServiceIsAway();
        ADamagedCopyIsUsedAndReadAgain();
        Expect(Game.LongestPause < TimeSpan.FromSeconds(1), $"the game waited for {Game.LongestPause}");
        Console.WriteLine("passed");
        return 0;
    }

    private static void AddressesAreMatched()
    {
        foreach (var vector in new[]
        {
            "192.0.2.1 192.0.2.1 yes", "192.0.2.1 192.0.2.2 no", "192.0.2.1/32 192.0.2.1 yes",
            "192.0.2.0/24 192.0.2.255 yes", "192.0.2.0/24 192.0.3.0 no", "192.0.0.0/16 192.0.255.255 yes",
            "192.0.0.0/16 192.1.0.0 no", "192.0.2.128/25 192.0.2.127 no", "192.0.2.128/25 192.0.2.128 yes",
            "192.0.2.4/30 192.0.2.7 yes", "192.0.2.4/30 192.0.2.8 no", "10.0.0.0/17 10.0.127.255 yes",
            "10.0.0.0/17 10.0.128.0 no", "192.0.2.0/24 ::ffff:192.0.2.9 yes",
            "192.0.2.0/24 ::ffff:192.0.3.9 no", "::ffff:192.0.2.0/120 192.0.2.9 yes",
            "::ffff:192.0.2.0/120 192.0.3.9 no", "::ffff:192.0.2.7 192.0.2.7 yes",
            "2001:db8::/32 2001:db8:ffff::1 yes", "2001:db8::/32 2001:db9::1 no",
            "2001:db8::1 2001:db8::1 yes", "2001:db8::1 2001:db8::2 no",
            "2001:db8:0:8000::/49 2001:db8:0:7fff::1 no", "2001:db8:0:8000::/49 2001:db8:0:ffff::1 yes",
            "2001:db8::/64 192.0.2.1 no", "192.0.2.0/24 2001:db8::1 no", "c000:200::/32 192.0.2.0 no",
            "192.0.2.1/33 192.0.2.1 no", "192.0.2.1/x 192.0.2.1 no", "nonsense 192.0.2.1 no",
        })
        {
            var words = vector.Split(' ');
            var key = IpRange.KeyOf(words[0]);
            var isMatch = key != null && IpRange.KeysOf(IPAddress.Parse(words[1])).Contains(key);
            Expect(isMatch == (words[2] == "yes"), vector);
        }
        foreach (var pair in new[]
        {
            "192.0.2.1:27005 192.0.2.1", "192.0.2.1 192.0.2.1", "[2001:db8::1]:27005 2001:db8::1",
            "2001:db8::1 2001:db8::1", "::ffff:192.0.2.1 192.0.2.1", "loopback ", " ",
        })
        {
            var words = pair.Split(' ');
            Expect(IpRange.ParsePlayer(words[0])?.ToString() == (words[1] == "" ? null : words[1]), pair);
        }
    }

    /// <summary>What stands in for System.Text.Json has to be right too.</summary>
    private static void TextIsReadAsJson()
    {
        var text = "a \"quoted\" \\ line\nwith \u00e9 and \ud83d\ude00";
        using (var body = JsonDocument.Parse(JsonSerializer.Serialize(new Dictionary<string, object>
        {
            ["text"] = text, ["list"] = new object[] { 1, null, true }, ["long"] = long.MaxValue,
        })))
        {
            var root = body.RootElement;
            Expect(root.GetProperty("text").GetString() == text, root.GetRawText());
            Expect(root.GetProperty("list").GetRawText() == "[1,null,true]", root.GetRawText());
            Expect(root.GetProperty("long").GetInt64() == long.MaxValue, root.GetRawText());
        }
    }

    private static void Prepare()
    {
        admin.BaseAddress = new Uri(Environment.GetEnvironmentVariable("STEWARD_URL"));
        admin.DefaultRequestHeaders.Add("X-API-Key", Environment.GetEnvironmentVariable("STEWARD_KEY"));
        folder = Path.Combine(Environment.GetEnvironmentVariable("OUTPUT"), "plugin");
        if (Directory.Exists(folder))
        {
            Directory.Delete(folder, true);
        }
        Directory.CreateDirectory(folder);
        foreach (var name in new[] { "Here", "Elsewhere" })
        {
            Create("/api/servers", $@"{{""name"": ""{name}"", ""ip"": ""127.0.0.1"", ""port"": 1,
                ""enabled"": false, ""game"": ""cs2"", ""rcon_password"": ""secret""}}");
        }
        // These permissions are all that the plugin needs.
        var catalog = Call("GET", "/api/permissions/catalog", null).GetProperty("permissions").EnumerateArray();
        var needed = new[] { "admin.bans", "admin.bans.read", "admin.deliveries" };
        var ids = catalog.Where(each => needed.Contains(each.GetProperty("name").GetString()))
            .Select(each => each.GetProperty("id").GetRawText());
        var key = Call("POST", "/api/api-keys",
            $@"{{""name"": ""plugin"", ""permission_ids"": [{string.Join(",", ids)}]}}");

        Create("/api/roles", @"{""name"": ""Veteran""}");
        Create("/api/users", @"{""username"": ""anna"", ""email"": ""anna@example.com"",
            ""password"": ""correct horse"", ""role_ids"": [1]}");
        Create("/api/users/1/social-networks", $@"{{""network_id"": 1, ""profile_url"": ""{Anna}""}}");

        wire = new Wire(Environment.GetEnvironmentVariable("STEWARD_URL"));
        config = new StewardConfig
        {
            Url = $"http://127.0.0.1:{wire.Port}",
            Key = key.GetProperty("api_key").GetProperty("key").GetString(),
            ServerId = 1,
            PollSeconds = 0.2,
        };
        Game.Admins[Moderator] = 50;
        Game.Admins[Owner] = 100;
    }

    private static void PlayersAreGreetedOrRefused()
    {
        var ban = Issue($@"""steam_id64"": ""{Mallory}"", ""reason"": ""Aimbot""");
        Game.Load(folder, config);
        var anna = Game.Join(Anna, "anna");
        Game.Until("greeting", () => Heard(anna, "Welcome, anna (Veteran)!"));
        Refused(Mallory, "You are banned: Aimbot (no end)");
        Game.Until("copy", () => CopyHas($"\"id\":{ban},"));

        // The same question is asked with the entity tag of its last answer.
        var before = wire.Count("304 Not Modified");
        var asked = wire.Count("If-None-Match");
        Refused(Mallory, "You are banned: Aimbot (no end)");
        Expect(wire.Count("If-None-Match") > asked && wire.Count("304 Not Modified") > before, "no 304");

        // A ban of a player who is here, without any command for the console; and its lift.
        ban = Issue($@"""steam_id64"": ""{Anna}"", ""reason"": ""Toxic"", ""seconds"": 3600");
        Game.Until("kick", () => !Game.Players.Contains(anna));
        Expect(anna.Said.Any(line => line.StartsWith("You are banned: Toxic (until 20")), "no end");
        Lift(ban);
        Admitted(Anna, "anna");

        Call("POST", "/api/users/1/block", @"{""reason"": ""Fraud""}");
        Refused(Anna, "Your account is blocked: Fraud");
        Call("POST", "/api/users/1/unblock", null);
    }

    private static void AddressesAreRefused()
    {
        Issue(@"""ip_range"": ""198.51.100.0/24"", ""reason"": ""Range"", ""seconds"": 3600");
        Issue(@"""ip_range"": ""2001:db8::/48"", ""reason"": ""Range"", ""seconds"": 3600");
        Refused(Trent, "You are banned: Range", "198.51.100.7:27005");
        Refused(Trent, "You are banned: Range", "[2001:db8::7]:27005");
        Admitted(Trent, "trent", "198.51.101.7:27005");
    }

    private static void ABanHoldsOnItsServersOnly()
    {
        var elsewhere = Issue($@"""steam_id64"": ""{Trent}"", ""reason"": ""There"", ""server_ids"": [2]");
        Admitted(Trent, "trent");
        var here = Issue($@"""steam_id64"": ""{Trent}"", ""reason"": ""Here"", ""server_ids"": [1]");
        Refused(Trent, "You are banned: Here");
        Call("PUT", $"/api/bans/{here}", @"{""server_ids"": [2]}");
        Game.Until("change", () => CopyHas("\"server_ids\":[2],\"reason\":\"Here\""));
        wire.Down();
        Admitted(Trent, "trent");
        wire.Up();
        Lift(elsewhere);
        Lift(here);
    }

    private static void MutesStopVoiceAndGagsChat()
    {
        var trent = Game.Join(Trent, "trent");
        var begin = DateTime.UtcNow;
        Issue($@"""kind"": ""silence"", ""steam_id64"": ""{Trent}"", ""reason"": ""Spam"", ""seconds"": 3");
        Game.Until("mute", () => IsMuted(trent));
        Expect(!Game.Say(trent, "hello"), "the chat is open");
        Expect(Heard(trent, "You cannot write: Spam"), "no reason");
        // It expires by the clock.
        Game.Until("end of the mute", () => !IsMuted(trent));
        Expect(DateTime.UtcNow - begin > TimeSpan.FromSeconds(2), "too early");
        Expect(Game.Say(trent, "hello"), "the chat is closed");
        Game.Leave(trent);
    }

    private static void CommandsInTheGameMakeAndLift()
    {
        var moderator = Moderate(Moderator, "mod");
        var trent = Game.Join(Trent, "trent \"the\tone\" \u00e9");
        Game.Command(moderator, "css_mute", $"#{trent.UserId}", "5", "open", "microphone");
        Expect(IsMuted(trent), "the mute did not hold at once");
        Game.Until("mute", () => Heard(moderator, "Muted trent \"the\tone\" \u00e9 for 5 minutes."));
        var mute = Newest();
        Expect(mute.GetProperty("kind").GetString() == "mute", mute.GetRawText());
        Expect(mute.GetProperty("player_name").GetString() == "trent \"the one\" \u00e9", mute.GetRawText());
        Expect(mute.GetProperty("reason").GetString() == "open microphone", mute.GetRawText());
        Expect(mute.GetProperty("note").GetString() == $"issued in game by mod ({Moderator})", mute.GetRawText());
        var length = Time(mute, "expires_at") - Time(mute, "created_at");
        Expect(length >= TimeSpan.FromSeconds(295) && length <= TimeSpan.FromSeconds(300), mute.GetRawText());

        Game.Command(moderator, "css_gag", $"{Trent}", "0", "spam");
        Game.Until("gag", () => Heard(moderator, "Gagged trent"));
        Expect(IsMuted(trent) && !Game.Say(trent, "hello"), "one replaced the other");

        // Each lift is of its kind.
        Game.Command(moderator, "css_unmute", $"#{trent.UserId}", "sorry");
        Game.Until("lift", () => Heard(moderator, "Lifted the mute of trent"));
        Expect(!IsMuted(trent) && !Game.Say(trent, "hello"), "the gag is gone too");
        mute = Call("GET", $"/api/bans/{mute.GetProperty("id").GetInt64()}", null).GetProperty("ban");
        Expect(mute.GetProperty("lift_reason").GetString() == $"sorry (lifted in game by mod ({Moderator}))",
            mute.GetRawText());
        Game.Command(moderator, "css_ungag", $"#{trent.UserId}", "sorry");
        Game.Until("lift", () => Heard(moderator, "Lifted the gag of trent"));
        Expect(Game.Say(trent, "hello"), "the chat is closed");
        Game.Command(moderator, "css_ungag", $"#{trent.UserId}", "sorry");
        Game.Until("reply", () => Heard(moderator, "has no active gag."));

        // The console of the server, a player who is not here, and an end.
        Game.Command(null, "css_silence", $"{Frank}", "0", "noise");
        Game.Until("silence", () => Game.Console.Contains($"Silenced {Frank} (no end)."));
        Game.Command(null, "css_unsilence", $"{Frank}", "over");
        Game.Until("lift", () => Game.Console.Contains($"Lifted the silence of {Frank}."));
        // What Steward refuses is told.
        Game.Command(null, "css_mute", $"{Frank}", "0", "");
        Game.Until("refusal", () => Game.Console.Any(line => line.StartsWith("Refused by Steward: reason ")));
        Game.Leave(trent);
        Game.Leave(moderator);
    }

    private static void ACommandIsCarriedOutOnceThoughItsReplyIsLost()
    {
        var moderator = Moderate(Moderator, "mod");
        var frank = Game.Join(Frank, "frank");
        var posts = wire.Count("POST /api/bans HTTP");
        wire.LoseReply = "POST /api/bans HTTP";
        Game.Command(moderator, "css_ban", $"#{frank.UserId}", "60", "wallhack");
        Expect(!Game.Players.Contains(frank), "the ban did not hold at once");
        Game.Until("reply", () => Heard(moderator, "Banned frank for 60 minutes."));
        Expect(wire.Count("POST /api/bans HTTP") - posts == 2, "the request was not sent twice");
        var found = BansOf(Frank, "ban");
        Expect(found.Count == 1, $"{found.Count} bans");
        Refused(Frank, "You are banned: wallhack (until 20");
        Game.Command(moderator, "css_unban", $"{Frank}", "appeal");
        Game.Until("lift", () => Heard(moderator, $"Lifted the ban of {Frank}."));
        Admitted(Frank, "frank");
        Game.Leave(moderator);
    }

    private static void OnlyModeratorsGiveOrders()
    {
        var moderator = Moderate(Moderator, "mod");
        var owner = Moderate(Owner, "owner");
        var frank = Game.Join(Frank, "frank");
        var posts = wire.Count("POST /api/bans HTTP");
        Expect(!Game.Command(frank, "css_ban", $"#{owner.UserId}", "0", "x"), "anybody can ban");
        foreach (var command in new[] { "css_steward_kick", "css_steward_mute", "css_steward_unmute" })
        {
            Expect(!Game.Command(owner, command, $"{Frank}", "60"), $"players can use {command}");
        }
        Game.Command(moderator, "css_ban", $"#{owner.UserId}", "0", "x");
        Expect(Heard(moderator, "higher immunity") && Game.Players.Contains(owner), "no immunity");
        foreach (var words in new[]
        {
            "css_ban #999 0 x", "css_ban 123 0 x", "css_ban 103582791429521409 0 x", "css_ban nobody 0 x",
            $"css_ban {Frank} -1 x", $"css_ban {Frank} 5256001 x", $"css_ban {Frank} day x",
        })
        {
            var before = moderator.Said.Count;
            Game.Command(moderator, words.Split(' '));
            Expect(moderator.Said.Count == before + 1 && Game.Players.Contains(frank), words);
        }
        Expect(!Game.Command(moderator, "css_ban", $"{Frank}", "0"), "a reason is needed");
        Expect(wire.Count("POST /api/bans HTTP") == posts, "something was sent");
        Game.Leave(frank);
        Game.Leave(owner);
        Game.Leave(moderator);
    }

    private static void TheServiceKicksAndMutesOverTheConsole()
    {
        var frank = Game.Join(Frank, "frank");
        Game.Command(null, "css_steward_kick", $"{Frank}");
        Expect(!Game.Players.Contains(frank), "not kicked");
        Game.Command(null, "css_steward_kick", $"{Frank}");
        Game.Command(null, "css_steward_kick", "nonsense");

        // The change must come by the command and not by the feed.
        frank = Game.Join(Frank, "frank");
        wire.LoseRequest = "GET /api/bans/feed";
        var gag = Issue($@"""kind"": ""gag"", ""steam_id64"": ""{Frank}"", ""reason"": ""Spam""");
        Game.Command(null, "css_steward_mute", $"{Frank}", "0");
        Game.Until("gag", () => !Game.Say(frank, "hello"));
        Expect(!IsMuted(frank), "a gag is not a mute");
        Lift(gag);
        Game.Command(null, "css_steward_unmute", $"{Frank}");
        Game.Until("end of the gag", () => Game.Say(frank, "hello"));
        wire.LoseRequest = null;
        Game.Leave(frank);
    }

    private static void ItemsAreGivenOnceAndTakenBack()
    {
        Create("/api/currencies", @"{""code"": ""EUR"", ""exchange_rate"": 1, ""minimum_value"": 1}");
        Create("/api/products", @"{""name"": ""Purse"", ""prices"": [{""currency_id"": 1, ""amount"": 5}],
            ""steps"": [{""kind"": ""plugin"", ""server_ids"": [1], ""payload"": {""money"": 500}}]}");
        Create("/api/products", @"{""name"": ""Hat"", ""prices"": [{""currency_id"": 1, ""amount"": 5}],
            ""steps"": [{""kind"": ""plugin"", ""server_ids"": [1], ""payload"": {""money"": 1.5}}]}");
        Create("/api/grants", @"{""user_id"": 1, ""product_id"": 1}");
        // It waits until the player joins. The confirmation is lost at first.
        wire.LoseRequest = "/done";
        var anna = Game.Join(Anna, "anna");
        Game.Until("item", () => Heard(anna, "Received: Purse"));
        var lost = wire.Count("/done");
        Game.Until("repetition", () => wire.Count("/done") > lost + 1);
        // It survives a restart of the game.
        Game.Stop();
        Game.Load(folder, config);
        anna = Game.Join(Anna, "anna");
        wire.LoseRequest = null;
        Game.Until("confirmation", () => State(1) == "done");
        Expect(anna.InGameMoneyServices.Account == 0, "given twice");

        Create("/api/grants", @"{""user_id"": 1, ""product_id"": 1}");
        Game.Until("item", () => Heard(anna, "Received: Purse"));
        Expect(anna.InGameMoneyServices.Account == 500, "not given");
        Game.Until("confirmation", () => State(2) == "done");
        Call("POST", "/api/grants/2/revoke", "{}");
        Game.Until("revocation", () => Heard(anna, "Taken back: Purse"));
        Expect(anna.InGameMoneyServices.Account == 0, "not taken back");
        Game.Until("confirmation", () => State(2) == "revoked");
        Create("/api/grants", @"{""user_id"": 1, ""product_id"": 2}");
        Game.Until("refusal", () => State(3) == "attention");
        Game.Leave(anna);
    }

    private static void TheGameNeverWaits()
    {
        wire.IsStalled = true;
        var moderator = Moderate(Moderator, "mod");
        var mallory = Game.Join(Mallory, "mallory");
        Game.Command(moderator, "css_mute", $"{Trent}", "1", "test");
        Game.Command(moderator, "css_unmute", $"{Trent}", "test");
        Game.Command(null, "css_steward_mute", $"{Mallory}", "0");
        Expect(Game.LongestPause < TimeSpan.FromSeconds(1), $"the game waited for {Game.LongestPause}");
        wire.CloseAll();
        wire.IsStalled = false;
        Game.Until("refusal", () => !Game.Players.Contains(mallory));
        Game.Until("reply", () => Heard(moderator, $"Muted {Trent} for 1 minutes."));
        Game.Leave(moderator);
    }

    private static void TheCopyRefusesWhileTheServiceIsAway()
    {
        var lifted = Issue($@"""steam_id64"": ""{Frank}"", ""reason"": ""Old""");
        Game.Until("copy", () => CopyHas($"\"id\":{lifted},"));
        wire.Down();
        Refused(Mallory, "You are banned: Aimbot (no end)");
        Refused(Anna, "You are banned: Range", "198.51.100.7:27005");
        Refused(Anna, "You are banned: Range", "::ffff:198.51.100.7");
        Refused(Anna, "You are banned: Range", "2001:db8::1");
        Admitted(Anna, "anna");

        // A ban and a lift in the meantime hold here at once, and after a restart of the game.
        var moderator = Moderate(Moderator, "mod");
        var trent = Game.Join(Trent, "trent");
        Game.Command(moderator, "css_ban", $"#{trent.UserId}", "0", "aimbot");
        Expect(!Game.Players.Contains(trent), "not kicked");
        Game.Until("reply", () => Heard(moderator, "Banned trent (no end) on this server. Steward is away"));
        Game.Command(moderator, "css_unban", $"{Trent}", "mistake");
        Game.Until("reply", () => Heard(moderator, "Steward does not have this one yet."));
        Game.Command(moderator, "css_unban", $"{Frank}", "appeal");
        Game.Until("order", () => File.ReadAllText(Path.Combine(folder, "orders.ndjson")).Contains("appeal"));
        Game.Stop();
        Game.Load(folder, config);
        Refused(Mallory, "You are banned: Aimbot (no end)");
        Refused(Trent, "You are banned: aimbot (no end)");
        Admitted(Frank, "frank");

        wire.Up();
        Game.Until("orders", () => BansOf(Trent, "ban").Count == 1 && BansOf(Frank, "ban").Count == 0);
        Game.Until("orders", () => File.ReadAllText(Path.Combine(folder, "orders.ndjson")) == "");
        Refused(Trent, "You are banned: aimbot (no end)");

        // A lift reaches the copy.
        var id = BansOf(Mallory, "ban").Single().GetProperty("id").GetInt64();
        Lift(id);
        Game.Until("lift", () => File.ReadLines(Copy).Any(
            line => line.Contains($"\"id\":{id},") && line.Contains("\"lifted\"")));
        wire.Down();
        Admitted(Mallory, "mallory");
        wire.Up();
    }

    private static void ADamagedCopyIsUsedAndReadAgain()
    {
        Game.Stop();
        wire.Down();
        File.AppendAllText(Copy, "{\"id\":9999,\"kind\":\"ba");
        Game.Load(folder, config);
        Refused(Trent, "You are banned: aimbot (no end)");
        var reads = wire.Count("GET /api/bans/feed?server_id=1 HTTP");
        wire.Up();
        Game.Until("copy", () => wire.Count("GET /api/bans/feed?server_id=1 HTTP") > reads);
        Game.Until("copy", () => !CopyHas("9999"));

        // A copy of another database, and a cursor of the future.
        Game.Stop();
        var lines = File.ReadAllLines(Copy);
        lines[lines.Length - 1] = "{\"cursor\":\"999999999\"}";
        File.WriteAllLines(Copy, lines);
        Game.Load(folder, config);
        Game.Until("copy", () => !CopyHas("999999999"));
        Game.Stop();
        lines[0] = "{\"feed\":\"http://other\",\"server_id\":1}";
        File.WriteAllLines(Copy, lines);
        wire.Down();
        Game.Load(folder, config);
        Admitted(Trent, "trent");
        wire.Up();
        Game.Until("copy", () => !CopyHas("other"));
        Game.Stop();
    }

    private static string Copy => Path.Combine(folder, "bans.ndjson");

    private static bool CopyHas(string text)
    {
        return File.Exists(Copy) && File.ReadAllText(Copy).Contains(text);
    }

    private static void Refused(ulong steamId, string text, string address = "192.0.2.1:27005")
    {
        var player = Game.Join(steamId, "somebody", address);
        Game.Until($"refusal of {steamId}", () => !Game.Players.Contains(player));
        Expect(Heard(player, text), $"{text} is not in {string.Join(" / ", player.Said)}");
    }

    /// <summary>The player stays, also when the answer is there.</summary>
    private static void Admitted(ulong steamId, string name, string address = "192.0.2.1:27005")
    {
        var player = Game.Join(steamId, name, address);
        Game.Until("answer", () => player.IsKicked || Game.IsAnswered(player));
        Expect(Game.Players.Contains(player), $"{name} was refused: {string.Join(" / ", player.Said)}");
        Game.Leave(player);
    }

    private static CCSPlayerController Moderate(ulong steamId, string name)
    {
        var moderator = Game.Join(steamId, name);
        moderator.Permissions.UnionWith(new[] { "@css/ban", "@css/unban", "@css/chat" });
        return moderator;
    }

    private static bool Heard(CCSPlayerController player, string text)
    {
        return player.Said.Any(line => line.Contains(text));
    }

    private static bool IsMuted(CCSPlayerController player)
    {
        return player.Voice.HasFlag(VoiceFlags.Muted);
    }

    private static DateTimeOffset Time(JsonElement ban, string name)
    {
        return DateTimeOffset.Parse(ban.GetProperty(name).GetString());
    }

    private static string State(long grantId)
    {
        return Call("GET", $"/api/grants/{grantId}", null).GetProperty("grant").GetProperty("state").GetString();
    }

    private static long Issue(string fields)
    {
        var body = fields.Contains("\"kind\"") ? fields : "\"kind\": \"ban\", " + fields;
        return Call("POST", "/api/bans", $"{{{body}}}").GetProperty("ban").GetProperty("id").GetInt64();
    }

    private static void Lift(long id)
    {
        Call("POST", $"/api/bans/{id}/lift", @"{""reason"": ""Appeal""}");
    }

    private static JsonElement Newest()
    {
        return Call("GET", "/api/bans", null).GetProperty("bans")[0];
    }

    private static List<JsonElement> BansOf(ulong steamId, string kind)
    {
        var path = $"/api/bans?steam_id64={steamId}&kind={kind}&state=active";
        return Call("GET", path, null).GetProperty("bans").EnumerateArray().ToList();
    }

    private static void Create(string path, string body)
    {
        Call("POST", path, body);
    }

    private static JsonElement Call(string method, string path, string body)
    {
        var request = new HttpRequestMessage(new HttpMethod(method), path);
        if (body != null)
        {
            request.Content = new StringContent(body, Encoding.UTF8, "application/json");
        }
        // The game has a thread of its own, and this is it.
        var reply = Task.Run(() => admin.SendAsync(request)).Result;
        var text = Task.Run(() => reply.Content.ReadAsStringAsync()).Result;
        Expect(reply.IsSuccessStatusCode, $"{method} {path}: {(int)reply.StatusCode} {text}");
        return JsonDocument.Parse(text).RootElement;
    }

    private static void Expect(bool holds, string text)
    {
        if (!holds)
        {
            throw new Exception($"{text}\n{string.Join("\n", Game.Log)}");
        }
    }
}
