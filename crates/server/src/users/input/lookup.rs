use kernel::input::{Place, Raw, Rule, Text, items};
use kernel::{inline_schema, input};

const MOST: usize = 100;

input! {
    /// Profiles on a social network, to find the users who have linked them.
    pub struct UserLookup {
        /// The name of the network, or its id in digits.
        network: NetworkName,
        /// As they are linked; a SteamID in any of its forms. Values can be repeated.
        values: ProfileValues,
    }
}

/// Whether there is such a network is for the slice to look up.
pub type NetworkName = Text<1, 50>;

pub const UNKNOWN_NETWORK_NAME: &str = "is not the name or the id of a social network";

/// At least one value, and at most [`MOST`].
#[derive(Debug)]
pub struct ProfileValues(pub Vec<String>);

impl Rule for ProfileValues {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items = items(raw, place, "must be a list of strings", "values", 1..=MOST)?;
        let read = |(i, item)| Text::<1, 2048>::read(Raw::Json(item), &mut place.inside(i));
        let values = items.into_iter().enumerate().filter_map(read);
        Some(Self(values.map(Text::into_string).collect()))
    }
}

inline_schema!(ProfileValues, {
    "type": "array",
    "items": { "type": "string", "minLength": 1, "maxLength": 2048, "pattern": r"^[^\x00]*[^\s\x00][^\x00]*$" },
    "minItems": 1,
    "maxItems": MOST,
});
