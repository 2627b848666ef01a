//! Fixed data: roles, pages, menu, games, gateways, currencies, prices.

/// The share of users who hold a role, in thousandths.
#[derive(Clone, Copy, Debug)]
pub struct Share(pub u64);

/// Name, description, colour, permissions, share.
type RoleTemplate = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    Share,
);

/// The role that is given for some weeks at a time.
pub const SUPPORTER: &str = "VIP";

pub const ROLES: &[RoleTemplate] = &[
    (
        "Administrator",
        "Runs the community.",
        "#c0392b",
        &[
            "admin.servers",
            "admin.roles",
            "admin.pages",
            "admin.users",
            "admin.navigation",
            "admin.currencies",
            "admin.payments",
        ],
        Share(1),
    ),
    (
        "Moderator",
        "Keeps the peace.",
        "#27ae60",
        &["admin.users", "admin.pages.read", "admin.servers.read"],
        Share(4),
    ),
    (
        "Member",
        "Has confirmed the address.",
        "#7f8c8d",
        &[],
        Share(800),
    ),
    (
        SUPPORTER,
        "Supports the community every month.",
        "#f1c40f",
        &[],
        Share(70),
    ),
    (
        "Editor",
        "Writes the pages.",
        "#2980b9",
        &["admin.pages", "admin.navigation"],
        Share(3),
    ),
    (
        "Veteran",
        "Has been here for years.",
        "#8e44ad",
        &[],
        Share(110),
    ),
    (
        "Server operator",
        "Looks after the game servers.",
        "#16a085",
        &["admin.servers"],
        Share(2),
    ),
    (
        "Event host",
        "Organises tournaments.",
        "#d35400",
        &[],
        Share(5),
    ),
    (
        "Streamer",
        "Shows the games to the world.",
        "#9b59b6",
        &[],
        Share(12),
    ),
    (
        "Tester",
        "Plays what is not finished yet.",
        "#34495e",
        &[],
        Share(25),
    ),
];

/// Title and slug.
pub const PAGES: &[(&str, &str)] = &[
    ("Welcome", "welcome"),
    ("Rules", "rules"),
    ("About us", "about"),
    ("Frequently asked questions", "faq"),
    ("How to connect", "help/connect"),
    ("Shop", "shop"),
    ("VIP membership", "shop/vip"),
    ("Terms of payment", "shop/terms"),
    ("Privacy", "privacy"),
    ("Imprint", "imprint"),
    ("Our team", "team"),
    ("Become a moderator", "team/apply"),
    ("Appeal a block", "help/appeal"),
    ("Report a player", "help/report"),
    ("League", "league"),
    ("Hall of fame", "league/hall-of-fame"),
    ("Map workshop", "workshop"),
    ("Downloads", "downloads"),
];

/// Title, URL and icon.
pub type MenuEntry = (&'static str, &'static str, &'static str);
/// The entries of the top level, each with the entries below it.
pub const MENU: &[(MenuEntry, &[MenuEntry])] = &[
    (("Home", "/", "home"), &[]),
    (
        ("Servers", "/servers", "server"),
        &[
            ("All servers", "/servers", "list"),
            ("How to connect", "/help/connect", "plug"),
            ("Status", "/servers/status", "activity"),
        ],
    ),
    (
        ("Community", "/community", "users"),
        &[
            ("Forum", "https://forum.example.org/", "message"),
            ("Members", "/members", "users"),
            ("Our team", "/team", "shield"),
            ("Gallery", "/gallery", "image"),
        ],
    ),
    (
        ("League", "/league", "trophy"),
        &[
            ("Table", "/league/table", "list"),
            ("Hall of fame", "/league/hall-of-fame", "star"),
            ("Fixtures", "/league/fixtures", "calendar"),
        ],
    ),
    (
        ("Shop", "/shop", "cart"),
        &[
            ("VIP membership", "/shop/vip", "star"),
            ("Coins", "/shop/coins", "coins"),
            ("My invoices", "/shop/invoices", "receipt"),
            ("Terms of payment", "/shop/terms", "file"),
        ],
    ),
    (
        ("Help", "/help", "help"),
        &[
            ("Questions and answers", "/faq", "help"),
            ("Report a player", "/help/report", "flag"),
            ("Appeal a block", "/help/appeal", "unlock"),
            ("Write to us", "mailto:team@example.org", "mail"),
        ],
    ),
    (("Moderation", "/moderation", "shield"), &[]),
    (("Sign in", "/sign-in", "key"), &[]),
];

/// The id of a game, and the kinds of its servers, which are part of their names.
pub const GAMES: &[(&str, &[&str])] = &[
    (
        "cs2",
        &["Dust Arena", "Retakes", "Deathmatch", "Surf", "Competitive"],
    ),
    ("css", &["Zombie Escape", "Bunny Hop", "Jail Break"]),
    ("garrysmod", &["Dark City", "Sandbox", "Prop Hunt"]),
    ("l4d2", &["Campaign", "Versus", "Survival"]),
    ("rust", &["Vanilla", "Double Gather", "Weekly Wipe"]),
    ("tf2", &["Payload", "Trade Plaza", "Highlander"]),
    ("valheim", &["Northern Shores", "Old Gods"]),
];

/// The maps of each game.
pub const MAPS: &[(&str, &[&str])] = &[
    ("cs2", &["de_dust2", "de_mirage", "de_inferno", "de_nuke"]),
    ("css", &["de_dust2", "cs_office", "ze_tower"]),
    ("garrysmod", &["gm_construct", "gm_flatgrass", "rp_harbour"]),
    ("l4d2", &["c1m1_hotel", "c2m1_highway", "c5m1_waterfront"]),
    ("rust", &["Procedural Map"]),
    ("tf2", &["pl_badwater", "cp_dustbowl", "ctf_2fort"]),
    ("valheim", &["Northern Shores"]),
];

pub const REGIONS: &[&str] = &["EU", "EU West", "EU East", "US", "US West", "Asia"];

/// The percentage of invoices, then the key and the name of the gateway.
pub const GATEWAYS: &[(u64, (&str, &str))] = &[
    (52, ("card", "Credit card")),
    (29, ("paypal", "PayPal")),
    (12, ("bank-transfer", "Bank transfer")),
    (7, ("crypto", "Cryptocurrency")),
];

/// The percentage of users, then the code, minimum value and exchange rate. The first is the
/// default.
pub const CURRENCIES: &[(u64, (&str, &str, &str))] = &[
    (55, ("EUR", "1", "1")),
    (30, ("USD", "1", "0.9215")),
    (15, ("PLN", "5", "0.2341")),
];

/// A product: name, description, for how many days it gives [`SUPPORTER`], and its price in
/// hundredths of each currency. Without days it is an item in the game.
pub type ProductTemplate = (&'static str, &'static str, Option<i64>, [i64; 3]);

pub const PRODUCTS: &[ProductTemplate] = &[
    (
        "VIP, 30 days",
        "A reserved slot and your own colour.",
        Some(30),
        [499, 549, 1999],
    ),
    (
        "VIP, 90 days",
        "Three months for the price of two and a half.",
        Some(90),
        [1299, 1399, 5499],
    ),
    (
        "VIP, one year",
        "A year without thinking about it.",
        Some(365),
        [3999, 4299, 16_999],
    ),
    (
        "Starter kit",
        "Armour and a pistol for your first rounds.",
        None,
        [199, 219, 899],
    ),
];

/// The weight of an article, then its price in hundredths of each currency.
pub const PRICES: &[(u64, [i64; 3])] = &[
    (22, [499, 549, 1999]),
    (9, [1299, 1399, 5499]),
    (3, [3999, 4299, 16_999]),
    (18, [199, 219, 899]),
    (12, [899, 949, 3799]),
    (6, [1649, 1799, 6999]),
    (2, [7499, 7999, 31_999]),
    (5, [349, 379, 1499]),
    (4, [599, 649, 2499]),
    (3, [2499, 2699, 10_499]),
    (2, [999, 1099, 4299]),
    (1, [9999, 10_999, 42_999]),
];

pub const PROMO_WORDS: &[&str] = &[
    "WELCOME",
    "SUMMER",
    "WINTER",
    "SPRING",
    "AUTUMN",
    "LEAGUE",
    "VETERAN",
    "BIRTHDAY",
    "WEEKEND",
    "LAUNCH",
    "THANKS",
    "HALLOWEEN",
    "NEWYEAR",
    "COMEBACK",
    "CLAN",
    "STREAM",
];
