use crate::users::blocks::UserBlockTerms;
use kernel::input::{Fault, Ids, Object, Place, Raw, Rule};
use kernel::{inline_schema, input};

const MOST: usize = 1000;

input! {
    /// The users to change, and exactly one of `block`, `unblock`, `add_roles` and `remove_roles`.
    pub struct BulkUserChange {
        /// The ids of the users. Duplicates are ignored.
        ids: UserIds,
        /// Blocks the users on these terms. Replaces existing blocks.
        block: Option<Object<UserBlockTerms>>,
        /// Lifts the users' blocks.
        unblock: Option<True>,
        /// The ids of roles to add.
        add_roles: Option<Ids>,
        /// The ids of roles to remove.
        remove_roles: Option<Ids>,
        /// Returns what would change, without changing it.
        dry_run: Option<bool>,
    }
    exactly one of block, unblock, add_roles, remove_roles
}

/// One to [`MOST`] ids.
#[derive(Debug)]
pub struct UserIds(pub Ids);

impl Rule for UserIds {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        Ids::read_within(raw, place, 1..=MOST).map(Self)
    }
}

inline_schema!(UserIds, {
    "type": "array",
    "items": { "type": "integer", "format": "int64", "minimum": 1 },
    "minItems": 1,
    "maxItems": MOST,
});

/// A flag that is present or absent. `false` is refused, since it has no meaning.
#[derive(Debug)]
pub struct True;

impl Rule for True {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let value = bool::read(raw, place)?;
        if !value {
            place.add(Fault::NotTrue {});
        }
        value.then_some(Self)
    }
}

// Not an enum of one value, for which generated clients have no type.
inline_schema!(True, { "type": "boolean" });
