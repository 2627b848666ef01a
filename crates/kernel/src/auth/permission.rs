//! The catalogue of permissions, sets of permissions, and the types by which handlers name them.
//!
//! The catalogue is part of the program; the database has a copy for its foreign keys. Ids never
//! change. A name grants itself and everything below it: `admin.users` covers
//! `admin.users.read`.

use std::marker::PhantomData;

use serde::{Serialize, Serializer};

use crate::input::{
    Fault, ListItems, MOST_ITEMS, Place, Raw, Referent, Rule, integer, is_number, items,
};
use crate::schema::JsonSchema;
use crate::{Error, Result, inline_schema};

/// A permission, as the API shows it.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Permission {
    pub id: i64,
    /// Dotted, from general to specific.
    pub name: &'static str,
    pub description: &'static str,
}

impl Permission {
    fn covers(&self, other: &Self) -> bool {
        let below = other.name.strip_prefix(self.name);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// The right that an operation requires of its caller. Each right is a type: the handler's
/// signature checks it, and the OpenAPI document is generated from it.
pub trait Right: Send + Sync + 'static {
    /// Any one of these permissions is enough. If empty, a valid key is enough.
    const NEEDS: &'static [&'static str];
    /// Whether a console session is required; an API key is then not enough.
    const NEEDS_SESSION: bool = false;
    /// Whether a console session must have been confirmed recently; see [`Confirmed`].
    const NEEDS_CONFIRMATION: bool = false;

    fn is_held(permissions: PermissionSet) -> bool;

    fn refusal() -> Error {
        Error::MissingPermission(Self::NEEDS)
    }

    fn check(permissions: PermissionSet) -> Result<()> {
        match Self::is_held(permissions) {
            true => Ok(()),
            false => Err(Self::refusal()),
        }
    }
}

/// Requires at least one permission, whichever it is.
pub struct AnyPermission;

impl Right for AnyPermission {
    const NEEDS: &'static [&'static str] = &["any one permission"];

    fn is_held(permissions: PermissionSet) -> bool {
        permissions != PermissionSet::default()
    }

    fn refusal() -> Error {
        Error::NoPermission
    }
}

/// Requires a valid key only.
pub struct NoPermission;

impl Right for NoPermission {
    const NEEDS: &'static [&'static str] = &[];

    fn is_held(_: PermissionSet) -> bool {
        true
    }
}

/// Requires a console session, whatever its permissions.
pub struct SignedIn;

impl Right for SignedIn {
    const NEEDS: &'static [&'static str] = &[];
    const NEEDS_SESSION: bool = true;

    fn is_held(_: PermissionSet) -> bool {
        true
    }
}

/// Requires another right and, of a console session, a password or a code that was given recently.
/// A stolen cookie alone must not give a key, an operator or a copy of all data.
pub struct Confirmed<R>(PhantomData<R>);

impl<R: Right> Right for Confirmed<R> {
    const NEEDS: &'static [&'static str] = R::NEEDS;
    const NEEDS_SESSION: bool = R::NEEDS_SESSION;
    const NEEDS_CONFIRMATION: bool = true;

    fn is_held(permissions: PermissionSet) -> bool {
        R::is_held(permissions)
    }

    fn refusal() -> Error {
        R::refusal()
    }
}

/// A permission of the catalogue, as a right.
pub trait Named: Right {
    const NAME: &'static str;
}

/// Requires either of two permissions.
pub struct Either<A, B>(PhantomData<(A, B)>);

impl<A: Named, B: Named> Right for Either<A, B> {
    const NEEDS: &'static [&'static str] = &[A::NAME, B::NAME];

    fn is_held(permissions: PermissionSet) -> bool {
        A::is_held(permissions) || B::is_held(permissions)
    }
}

macro_rules! catalogue {
    ($($id:literal $right:ident $name:literal $description:literal),* $(,)?) => {
        pub const CATALOGUE: &[Permission] = &[
            $(Permission { id: $id, name: $name, description: $description }),*
        ];

        $(
            #[doc = $description]
            pub struct $right;

            impl Right for $right {
                const NEEDS: &'static [&'static str] = &[$name];

                fn is_held(permissions: PermissionSet) -> bool {
                    permissions.covers(PermissionSet::one($id))
                }
            }

            impl Named for $right {
                const NAME: &'static str = $name;
            }
        )*
    };
}

catalogue![
    1 ApiKeys "admin.api-keys" "Manage API keys and their permissions",
    2 Servers "admin.servers" "Manage game servers and run commands on their consoles",
    3 Roles "admin.roles" "Manage roles and their permissions",
    4 Pages "admin.pages" "Manage pages and their blocks",
    5 Users "admin.users" "Manage users",
    6 Navigation "admin.navigation" "Manage navigation items",
    7 Currencies "admin.currencies" "Manage currencies",
    8 Payments "admin.payments" "Manage payment invoices, promo codes and gateways; a paid invoice gives its product",
    9 ApiKeysRead "admin.api-keys.read" "Read API keys and their permissions",
    10 ServersRead "admin.servers.read" "Read game servers",
    11 RolesRead "admin.roles.read" "Read roles and their permissions",
    12 PagesRead "admin.pages.read" "Read pages and their blocks",
    13 UsersRead "admin.users.read" "Read users",
    14 NavigationRead "admin.navigation.read" "Read navigation items",
    15 CurrenciesRead "admin.currencies.read" "Read currencies",
    16 PaymentsRead "admin.payments.read" "Read payment invoices, promo codes, gateways and statistics",
    17 Sessions "admin.sessions" "Sign users in and out",
    18 AuditRead "admin.audit.read" "Read the audit log",
    19 ServersRcon "admin.servers.rcon" "Run console commands on game servers",
    20 Webhooks "admin.webhooks" "Manage webhooks for events that the holder may read",
    21 WebhooksRead "admin.webhooks.read" "Read webhooks",
    22 Backups "admin.backups" "Make, download and delete backups of all data",
    23 Products "admin.products" "Manage products, and give and revoke them",
    24 ProductsRead "admin.products.read" "Read products and grants",
    25 Deliveries "admin.deliveries" "Fetch and confirm what plugins on game servers deliver",
    26 Bans "admin.bans" "Ban and mute players on game servers, and lift bans",
    27 BansRead "admin.bans.read" "Read bans and mutes, and check players",
    28 Discord "admin.discord" "Connect Discord, and decide which Discord roles follow roles",
    29 DiscordRead "admin.discord.read" "Read the connection to Discord and its members",
    30 BackupsRead "admin.backups.read" "List and download backups of all data",
];

/// One bit for each permission of the catalogue, at the position of its id.
const KNOWN: u64 = {
    let (mut bits, mut i) = (0, 0);
    while i < CATALOGUE.len() {
        bits |= 1 << CATALOGUE[i].id;
        i += 1;
    }
    bits
};

const LAST_ID: i64 = CATALOGUE[CATALOGUE.len() - 1].id;

pub fn by_name(name: &str) -> Option<&'static Permission> {
    CATALOGUE.iter().find(|permission| permission.name == name)
}

/// A set of assigned permissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PermissionSet(u64);

impl PermissionSet {
    pub fn one(id: i64) -> Self {
        Self::from_ids([id])
    }

    pub fn all() -> Self {
        Self(KNOWN)
    }

    /// Ignores ids that are not in the catalogue.
    pub fn from_ids(ids: impl IntoIterator<Item = i64>) -> Self {
        let possible = |id: &i64| (1..=LAST_ID).contains(id);
        let bits = ids.into_iter().filter(possible);
        Self(bits.fold(0, |set, id| set | 1 << id) & KNOWN)
    }

    /// Reads one bit per permission, at the position of its id. Ids that are not in the catalogue
    /// are ignored.
    pub fn from_bits(bits: i64) -> Self {
        Self(bits.cast_unsigned() & KNOWN)
    }

    pub fn to_bits(self) -> i64 {
        self.0.cast_signed()
    }

    pub fn insert(&mut self, id: i64) {
        self.0 |= Self::one(id).0;
    }

    pub fn list(self) -> Vec<&'static Permission> {
        let held = |permission: &&Permission| self.0 >> permission.id & 1 == 1;
        CATALOGUE.iter().filter(held).collect()
    }

    pub fn ids(self) -> Vec<i64> {
        self.list().iter().map(|permission| permission.id).collect()
    }

    /// Returns `true` if this set grants every permission in `other`.
    pub fn covers(self, other: Self) -> bool {
        // The common case: every permission is assigned directly, so no names are compared.
        let missing = Self(other.0 & !self.0);
        if missing == Self::default() {
            return true;
        }
        let held = self.list();
        let granted = |wanted: &Permission| held.iter().any(|permission| permission.covers(wanted));
        missing.list().into_iter().all(granted)
    }
}

/// In a request, a set is a list of ids; repeated ids count once.
impl Rule for PermissionSet {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items = items(raw, place, ListItems::Ids, 0..=MOST_ITEMS)?;
        let mut set = Self::default();
        let mut all_known = true;
        for (i, item) in items.iter().enumerate() {
            let id = Some(item.get())
                .filter(|json| is_number(json))
                .and_then(integer);
            match id.map(Self::one).filter(|one| *one != Self::default()) {
                Some(one) => set.0 |= one.0,
                None => {
                    place.inside(i).add(Fault::unknown_id(Referent::Permission));
                    all_known = false;
                }
            }
        }
        all_known.then_some(set)
    }
}

inline_schema!(PermissionSet, {
    "type": "array",
    "items": { "type": "integer", "minimum": 1, "maximum": LAST_ID },
    "maxItems": MOST_ITEMS,
});

/// In the audit log, a set is the list of its names.
impl Serialize for PermissionSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.list().iter().map(|permission| permission.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> PermissionSet {
        PermissionSet::from_ids(names.iter().map(|name| by_name(name).expect(name).id))
    }

    #[test]
    fn ids_ascend_from_one_and_fit_in_a_word() {
        assert!(CATALOGUE.iter().map(|permission| permission.id).is_sorted());
        assert_eq!(KNOWN.count_ones() as usize, CATALOGUE.len());
        assert_eq!((CATALOGUE[0].id, KNOWN & 1), (1, 0));
        // A set is stored as a positive number.
        const { assert!(LAST_ID < 63) };
    }

    #[test]
    fn read_permissions_have_the_order_of_their_write_permissions() {
        for i in 0..8 {
            let read = format!("{}.read", CATALOGUE[i].name);
            assert_eq!(CATALOGUE[i + 8].name, read);
        }
    }

    #[test]
    fn a_name_covers_itself_and_all_names_below_it() {
        let users = set(&["admin.users"]);
        assert!(users.covers(users));
        assert!(users.covers(set(&["admin.users.read"])));
        assert!(users.covers(PermissionSet::default()));
        assert!(!set(&["admin.users.read"]).covers(users));
        assert!(!users.covers(set(&["admin.users.read", "admin.roles.read"])));
        assert!(set(&["admin.servers"]).covers(set(&["admin.servers.rcon"])));
        assert!(set(&["admin.backups"]).covers(set(&["admin.backups.read"])));
        assert!(PermissionSet::all().covers(PermissionSet::all()));
    }

    #[test]
    fn unknown_ids_grant_nothing() {
        assert_eq!(
            PermissionSet::from_ids([0, -1, LAST_ID + 1, 64, i64::MAX, i64::MIN]),
            PermissionSet::default()
        );
    }
}
