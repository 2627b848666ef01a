//! `Visibility`: the devices that show an item.

use serde::{Serialize, Serializer};

use kernel::inline_schema;
use kernel::input::{Fault, Place, Raw, Rule, text};

/// The devices that show an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    #[default]
    All,
    Desktop,
    Mobile,
}

impl Visibility {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Desktop => "desktop",
            Self::Mobile => "mobile",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [Self::All, Self::Desktop, Self::Mobile]
            .into_iter()
            .find(|visibility| visibility.as_str() == name)
    }
}

impl Rule for Visibility {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let visibility = Self::from_name(&text(raw, place)?);
        if visibility.is_none() {
            place.add(Fault::not_one_of(&["all", "desktop", "mobile"]));
        }
        visibility
    }
}

inline_schema!(Visibility, { "type": "string", "enum": ["all", "desktop", "mobile"] });

impl Serialize for Visibility {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
