use kernel::inline_schema;
use kernel::input::{Place, Raw, Rule, text};

/// What a reply shows of users beyond their own fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Include {
    pub roles: bool,
    pub social: bool,
    pub block: bool,
}

impl Rule for Include {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let mut include = Self::default();
        for name in text(raw, place)?.split(',') {
            match name {
                "roles" => include.roles = true,
                "social" => include.social = true,
                "block" => include.block = true,
                _ => {
                    place
                        .add("must be one or more of roles, social and block, separated by commas");
                    return None;
                }
            }
        }
        Some(include)
    }
}

inline_schema!(Include, {
    "type": "string",
    "pattern": "^(roles|social|block)(,(roles|social|block))*$",
});
