use kernel::input::{LengthUnit, Place, Raw, Rule, text};
use kernel::secret::Secret;

/// A password in plain text, before it is hashed. A password to compare may be shorter than one to
/// set: stored hashes may come from another program.
#[derive(Clone, Debug)]
pub struct Password<const MIN: usize = 8>(Secret<String>);

impl<const MIN: usize> Password<MIN> {
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

impl<const MIN: usize> Rule for Password<MIN> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let password = text(raw, place)?;
        place.check_length(password.len(), MIN..=1024, LengthUnit::Bytes)?;
        Some(Self(Secret::new(password.into_owned())))
    }
}

#[cfg(feature = "openapi")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::Password;

    impl<const MIN: usize> JsonSchema for Password<MIN> {
        fn inline_schema() -> bool {
            true
        }

        fn schema_name() -> Cow<'static, str> {
            format!("PasswordFrom{MIN}").into()
        }

        // A schema counts characters, not bytes; in ASCII they are the same.
        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "type": "string",
                "format": "password",
                "minLength": MIN,
                "maxLength": 1024,
                "pattern": r"^[^\x00]*$",
                "writeOnly": true,
            })
        }
    }
}
