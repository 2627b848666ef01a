//! The catalogue of permissions, sets of them, and the types that handlers name them by.
//!
//! The catalogue is part of the program; the database has a copy for its foreign keys. Ids never
//! change. A name grants itself and everything below it: `admin.users` covers
//! `admin.users.read`.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::input::{MOST_ITEMS, Place, Raw, Rule, integer, is_number, items};
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

/// What an operation requires of its caller. Each right is a type: the handler's signature
/// checks it, and the OpenAPI document takes it from there.
pub trait Right: Send + Sync + 'static {
    /// The permissions of which any one is enough; empty when a valid key is enough.
    const NEEDS: &'static [&'static str];
    /// Whether a session of the console is needed, and an API key is not enough.
    const NEEDS_SESSION: bool = false;

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

/// Requires any one permission.
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

/// Requires a session of the console, whatever its permissions.
pub struct SignedIn;

impl Right for SignedIn {
    const NEEDS: &'static [&'static str] = &[];
    const NEEDS_SESSION: bool = true;

    fn is_held(_: PermissionSet) -> bool {
        true
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
    8 Payments "admin.payments" "Manage payment invoices, promo codes and gateways",
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
    20 Webhooks "admin.webhooks" "Manage webhooks",
    21 WebhooksRead "admin.webhooks.read" "Read webhooks",
    22 Backups "admin.backups" "Make, download and delete backups of all data",
];

pub fn by_name(name: &str) -> Option<&'static Permission> {
    CATALOGUE.iter().find(|permission| permission.name == name)
}

/// A set of permissions, as assigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PermissionSet(u64);

impl PermissionSet {
    pub fn one(id: i64) -> Self {
        Self::from_ids([id])
    }

    pub fn all() -> Self {
        Self::from_ids(CATALOGUE.iter().map(|permission| permission.id))
    }

    /// Ignores ids that are not in the catalogue.
    pub fn from_ids(ids: impl IntoIterator<Item = i64>) -> Self {
        let known = |id: &i64| (1..=CATALOGUE.len() as i64).contains(id);
        Self(
            ids.into_iter()
                .filter(known)
                .fold(0, |set, id| set | 1 << id),
        )
    }

    /// One bit for each permission, at the place of its id. Ids that are not in the catalogue are
    /// ignored.
    pub fn from_bits(bits: i64) -> Self {
        Self(bits.cast_unsigned() & Self::all().0)
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

    /// Whether everything in `other` is granted by something in this set.
    pub fn covers(self, other: Self) -> bool {
        // The common case: all are assigned themselves, and no name has to be compared.
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
        let not_a_list = "must be a list of permission ids";
        let items = items(raw, place, not_a_list, "ids", 0..=MOST_ITEMS)?;
        let mut set = Self::default();
        let mut all_known = true;
        for (i, item) in items.iter().enumerate() {
            let id = Some(item.get())
                .filter(|json| is_number(json))
                .and_then(integer);
            match id.map(Self::one).filter(|one| *one != Self::default()) {
                Some(one) => set.0 |= one.0,
                None => {
                    place.inside(i).add("is not the id of a permission");
                    all_known = false;
                }
            }
        }
        all_known.then_some(set)
    }
}

inline_schema!(PermissionSet, {
    "type": "array",
    "items": { "type": "integer", "minimum": 1, "maximum": CATALOGUE.len() },
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
    fn ids_count_from_one_without_gaps() {
        for (i, permission) in CATALOGUE.iter().enumerate() {
            assert_eq!(permission.id, i as i64 + 1, "{}", permission.name);
        }
        assert!(CATALOGUE.len() < 64, "a set is one word");
    }

    #[test]
    fn read_permissions_follow_in_the_same_order() {
        for i in 0..8 {
            let read = format!("{}.read", CATALOGUE[i].name);
            assert_eq!(CATALOGUE[i + 8].name, read);
        }
    }

    #[test]
    fn a_name_covers_itself_and_what_is_below_it() {
        let users = set(&["admin.users"]);
        assert!(users.covers(users));
        assert!(users.covers(set(&["admin.users.read"])));
        assert!(users.covers(PermissionSet::default()));
        assert!(!set(&["admin.users.read"]).covers(users));
        assert!(!users.covers(set(&["admin.users.read", "admin.roles.read"])));
        assert!(set(&["admin.servers"]).covers(set(&["admin.servers.rcon"])));
        assert!(PermissionSet::all().covers(PermissionSet::all()));
    }

    #[test]
    fn unknown_ids_grant_nothing() {
        assert_eq!(
            PermissionSet::from_ids([0, -1, 23, 64, i64::MAX, i64::MIN]),
            PermissionSet::default()
        );
    }
}
