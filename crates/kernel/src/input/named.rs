/// Declares values that are written, stored and shown by their names.
#[macro_export]
macro_rules! named {
    ($(#[doc = $doc:literal])* $type:ident { $($value:ident = $name:literal,)+ }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, $crate::schema::JsonSchema)]
        #[schemars(inline)]
        pub enum $type {
            $(#[serde(rename = $name)] $value,)+
        }

        impl $type {
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            pub fn from_stored(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$value),)+
                    _ => None,
                }
            }
        }

        impl $crate::input::Rule for $type {
            fn read(
                raw: $crate::input::Raw<'_>,
                place: &mut $crate::input::Place<'_>,
            ) -> Option<Self> {
                let is_known = |text: &str| Self::from_stored(text).is_some();
                let fault = $crate::input::Fault::not_one_of(Self::NAMES);
                let name = $crate::input::text_that(raw, place, is_known, fault)?;
                Self::from_stored(&name)
            }
        }
    };
}
