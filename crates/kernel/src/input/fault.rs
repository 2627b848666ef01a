use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::schema::JsonSchema;
use crate::types::money::Money;

/// Names that a fault lists.
type Names = Cow<'static, [&'static str]>;

/// A fault of one field: a stable code with its parameters, for programs that say it in
/// their own language. Its text is the sentence for people. The comments are the description of the
/// codes in the OpenAPI document.
// A variant without parameters has braces, so that its `params` are `{}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(tag = "code", content = "params", rename_all = "snake_case")]
pub enum Fault {
    /// The field is missing.
    Required {},
    /// The field is missing, and so are those that could replace it: `fields`.
    RequiredUnless { fields: &'static [&'static str] },
    /// The value is null.
    NullValue {},
    /// The request has no such field. Only with `Prefer: handling=strict`.
    UnknownField {},
    /// The value is not of the type `expected`.
    WrongType { expected: ValueType },
    /// The value is not a list of `items`.
    NotAList { items: ListItems },
    /// A block of this type needs a content of the type `expected`.
    WrongContent {
        block: BlockType,
        expected: ValueType,
    },
    /// The value is not true. Leave the field out instead.
    NotTrue {},
    /// The value is none of `values`.
    NotOneOf { values: Names },
    /// The value is not a list of some of `values`, separated by commas.
    NotSomeOf { values: Names },
    /// The value is none of `values`, with or without a hyphen in front.
    UnknownSort { values: Names },

    /// The text is white space only.
    Blank {},
    /// The text is not `min` to `max` long, but shorter. Without `max`, there is no upper limit.
    TooShort {
        min: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "i64")]
        max: Option<i64>,
        unit: LengthUnit,
    },
    /// The text is not `min` to `max` long, but longer.
    TooLong {
        min: i64,
        max: i64,
        unit: LengthUnit,
    },
    /// The text is not valid Unicode.
    NotUnicode {},
    /// The text contains `forbidden` characters.
    ForbiddenCharacters { forbidden: Characters },
    /// The text is not `min` to `max` characters of the set `allowed`.
    WrongCharacters {
        allowed: CharacterSet,
        min: i64,
        max: i64,
    },
    /// The text begins or ends with white space.
    OuterSpace {},
    /// The text begins with a space.
    LeadingSpace {},
    /// The value is not of this format.
    WrongFormat { format: TextFormat },
    /// The URL has a scheme that is none of `schemes`.
    ForbiddenScheme { schemes: &'static [&'static str] },
    /// The URL contains characters that must be written as % codes or in Punycode.
    UnescapedUrl {},
    /// The URL contains a user name or a password.
    CredentialsInUrl {},
    /// The service may not contact the address in the URL.
    ForbiddenAddress {},
    /// The URL is none of those that the service may send people back to.
    UnknownReturnUrl {},
    /// The host name has no address, or none was found in time.
    UnresolvedName {},
    /// The JSON is nested more than `max` levels deep.
    TooDeep { max: i64 },
    /// The command has a placeholder that is none of `placeholders`.
    UnknownPlaceholder { placeholders: Names },
    /// The command has a brace that belongs to no placeholder and is not doubled.
    LoneBrace {},
    /// The command has this placeholder outside of double quotes.
    UnquotedPlaceholder { placeholder: &'static str },

    /// The value is not an integer. It must be one from `min` to `max`, or of at least `min`.
    NotAnInteger {
        min: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "i64")]
        max: Option<i64>,
    },
    /// The integer is not from `min` to `max`, or not at least `min`.
    OutOfRange {
        min: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "i64")]
        max: Option<i64>,
    },
    /// The number is not above 0.
    NotPositive {},
    /// The number is below 0.
    Negative {},
    /// The number is above `max`.
    TooLarge { max: i64 },
    /// The percentage is above `max`.
    TooLargePercentage { max: i64 },
    /// The number has more than `max` decimal places.
    TooManyDecimals { max: i64 },
    /// The amount is below the minimum of the currency, which is `amount`.
    BelowMinimum {
        #[schemars(with = "crate::types::money::Plain")]
        amount: Money,
    },
    /// The step is below `min`, so that there would be more than `max_points` points.
    StepTooSmall { min: i64, max_points: i64 },

    /// The list does not hold `min` to `max` `items`.
    WrongCount {
        min: i64,
        max: i64,
        items: ListItems,
    },
    /// The list holds more than `max` ids, which is the limit for this number of `users`.
    TooManyForUsers { max: i64, users: i64 },
    /// The value occurs before in the list.
    Repeated {},

    /// The value belongs to another resource, and must be unique.
    Taken {},
    /// There is no `resource` with this id.
    UnknownId { resource: Referent },
    /// There is no `resource` with this name or id.
    UnknownName { resource: Referent },
    /// The parent is the item itself or one below it.
    Cycle {},

    /// More than one of `fields` is present.
    NotTheOnlyOne { fields: &'static [&'static str] },
    /// The field and `other` are both true.
    NotBoth { other: &'static str },
    /// The time is not in the future.
    NotInFuture {},
    /// The time is more than `years` ahead.
    TooFarAhead { years: i64 },
    /// The time is not after that of `other`.
    NotAfter { other: &'static str },
    /// The time is not before that of `other`.
    NotBefore { other: &'static str },
    /// The time is after that of `other`.
    After { other: &'static str },
    /// The period has more than `max` events.
    TooManyEvents { max: i64 },

    /// The cursor does not come from a `Link` header.
    WrongCursor {},
    /// The cursor comes from a list in another order.
    CursorOfOtherSort {},

    /// The promo code or the product is not active.
    Inactive {},
    /// The promo code is not valid yet.
    NotYetValid {},
    /// The promo code has expired.
    Expired {},
    /// The promo code is not for this user.
    NotForUser {},
    /// The promo code has been used as often as it can be.
    UsedUp {},
    /// This user has used the promo code as often as one user can.
    UsedUpByUser {},
    /// The promo code needs an amount of at least `amount`.
    AmountTooSmall {
        #[schemars(with = "crate::types::money::Plain")]
        amount: Money,
    },
    /// The payment gateway is disabled.
    Disabled {},

    /// The product has no price in this currency.
    NoPrice {},
    /// The amount is not the price of the product, which is `amount`.
    NotThePrice {
        #[schemars(with = "crate::types::money::Plain")]
        amount: Money,
    },
    /// The product needs a profile on `network`, which the user who gets it has not linked.
    ProfileNotLinked { network: &'static str },
    /// The product is not for this server.
    NotForServer {},
    /// The field is only for requests with `other`.
    OnlyWith { other: &'static str },
    /// The steps have more than `max` pairs of a step and a server.
    TooManyServers { max: i64 },
}

impl Fault {
    pub const fn not_one_of(values: &'static [&'static str]) -> Self {
        let values = Cow::Borrowed(values);
        Self::NotOneOf { values }
    }

    pub const fn unknown_id(resource: Referent) -> Self {
        Self::UnknownId { resource }
    }

    pub const fn wrong_characters(allowed: CharacterSet, min: usize, max: usize) -> Self {
        Self::WrongCharacters {
            allowed,
            min: min as i64,
            max: max as i64,
        }
    }

    pub const fn wrong_format(format: TextFormat) -> Self {
        Self::WrongFormat { format }
    }

    pub const fn wrong_type(expected: ValueType) -> Self {
        Self::WrongType { expected }
    }
}

/// The sentence continues the name of the field: `must be a string`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required {} => f.write_str("is required"),
            Self::RequiredUnless { fields } => {
                write!(
                    f,
                    "is required, unless there is one of {}",
                    fields.join(", ")
                )
            }
            Self::NullValue {} => f.write_str("must not be null"),
            Self::UnknownField {} => f.write_str("is not a field of this request"),
            Self::WrongType { expected } => write!(f, "must be {expected}"),
            Self::NotAList { items } => match items {
                ListItems::Items => f.write_str("must be a list"),
                _ => write!(f, "must be a list of {items}"),
            },
            Self::WrongContent { block, expected } => {
                write!(f, "must be {expected} in {block}")
            }
            Self::NotTrue {} => f.write_str("must be true, or be left out"),
            Self::NotOneOf { values } => write!(f, "must be {}", series(values, "or")),
            Self::NotSomeOf { values } => {
                let values = series(values, "and");
                write!(f, "must be one or more of {values}, separated by commas")
            }
            Self::UnknownSort { values } => {
                let values = values.join(", ");
                write!(f, "must be one of {values}, with - in front for descending")
            }

            Self::Blank {} => f.write_str("must not be blank"),
            Self::TooShort {
                min,
                max: None,
                unit,
            } => write!(f, "must be at least {min} {unit} long"),
            Self::TooLong { min: 0, max, unit } => write!(f, "must be at most {max} {unit} long"),
            Self::TooShort {
                min,
                max: Some(max),
                unit,
            }
            | Self::TooLong { min, max, unit } => write!(f, "must be {min} to {max} {unit} long"),
            Self::NotUnicode {} => f.write_str("must be valid Unicode"),
            Self::ForbiddenCharacters { forbidden } => write!(f, "must not contain {forbidden}"),
            Self::WrongCharacters { allowed, min, max } => {
                let count = match min == max {
                    true => min.to_string(),
                    false => format!("{min} to {max}"),
                };
                write!(f, "must be {count} {allowed}")
            }
            Self::OuterSpace {} => f.write_str("must not begin or end with white space"),
            Self::LeadingSpace {} => f.write_str("must not begin with a space"),
            Self::WrongFormat { format } => write!(f, "must be {format}"),
            Self::ForbiddenScheme { schemes } => {
                let schemes: Vec<String> =
                    schemes.iter().map(|scheme| format!("{scheme}:")).collect();
                let schemes = series(&schemes, "or");
                write!(f, "must be relative or begin with {schemes}")
            }
            Self::UnescapedUrl {} => f.write_str(
                "must have only the characters of a URL: write others as % codes, and names in \
                 Punycode",
            ),
            Self::CredentialsInUrl {} => f.write_str("must not contain a user name or a password"),
            Self::ForbiddenAddress {} => f.write_str(
                "must not be an address that is not public or is one of this machine, unless \
                 --webhook-networks names it",
            ),
            Self::UnknownReturnUrl {} => {
                f.write_str("must be exactly one of the URLs that --sign-in-return-to names")
            }
            Self::UnresolvedName {} => {
                f.write_str("has no address, or none was found within 5 seconds")
            }
            Self::TooDeep { max } => write!(f, "must be at most {max} levels deep"),
            Self::UnknownPlaceholder { placeholders } => {
                let placeholders: Vec<String> = placeholders
                    .iter()
                    .map(|name| format!("{{{name}}}"))
                    .collect();
                let placeholders = series(&placeholders, "and");
                write!(f, "must have no other placeholders than {placeholders}")
            }
            Self::LoneBrace {} => f.write_str(
                "must have braces only around placeholders: write {{ and }} for plain ones",
            ),
            Self::UnquotedPlaceholder { placeholder } => write!(
                f,
                "must have {{{placeholder}}} inside double quotes: consoles split it at its colons"
            ),

            Self::NotAnInteger { min, max } | Self::OutOfRange { min, max } => match max {
                Some(max) => write!(f, "must be an integer from {min} to {max}"),
                None => write!(f, "must be an integer of at least {min}"),
            },
            Self::NotPositive {} => f.write_str("must be greater than 0"),
            Self::Negative {} => f.write_str("must not be negative"),
            Self::TooLarge { max } => write!(f, "must be at most {max}"),
            Self::TooLargePercentage { max } => write!(f, "must be at most {max} for a percentage"),
            Self::TooManyDecimals { max } => write!(f, "must have at most {max} decimal places"),
            Self::BelowMinimum { amount } => {
                write!(f, "must be at least {amount} in this currency")
            }
            Self::StepTooSmall { min, max_points } => {
                write!(f, "must be at least {min}, for at most {max_points} points")
            }

            Self::WrongCount { min: 0, max, items } => {
                write!(f, "must hold at most {max} {items}")
            }
            Self::WrongCount { min, max, items } => write!(f, "must hold {min} to {max} {items}"),
            Self::TooManyForUsers { max, users } => {
                write!(f, "must be at most {max} ids for {users} users")
            }
            Self::Repeated {} => f.write_str("must not be repeated"),

            Self::Taken {} => f.write_str("has already been taken"),
            Self::UnknownId { resource } => write!(f, "is not the id of {resource}"),
            Self::UnknownName { resource } => write!(f, "is not the name or the id of {resource}"),
            Self::Cycle {} => f.write_str("must not be the item itself or one below it"),

            Self::NotTheOnlyOne { fields } => {
                write!(f, "must be the only one of {}", fields.join(", "))
            }
            Self::NotBoth { other } => write!(f, "must not be true together with {other}"),
            Self::NotInFuture {} => f.write_str("must be in the future"),
            Self::TooFarAhead { years: 1 } => {
                f.write_str("must lead to a time within the next year")
            }
            Self::TooFarAhead { years } => {
                write!(f, "must lead to a time within the next {years} years")
            }
            Self::NotAfter { other } => write!(f, "must be after {other}"),
            Self::NotBefore { other } => write!(f, "must be before {other}"),
            Self::After { other } => write!(f, "must not be after {other}"),
            Self::TooManyEvents { max } => write!(
                f,
                "must be closer to from: the period has more than {max} events"
            ),

            Self::WrongCursor {} => f.write_str("must come from a Link header"),
            Self::CursorOfOtherSort {} => {
                f.write_str("must come from a Link header under the same sort")
            }

            Self::Inactive {} => f.write_str("is not active"),
            Self::NotYetValid {} => f.write_str("is not valid yet"),
            Self::Expired {} => f.write_str("has expired"),
            Self::NotForUser {} => f.write_str("is not for this user"),
            Self::UsedUp {} => f.write_str("has been used up"),
            Self::UsedUpByUser {} => f.write_str("has been used up by this user"),
            Self::AmountTooSmall { amount } => write!(f, "needs an amount of at least {amount}"),
            Self::Disabled {} => f.write_str("is disabled"),

            Self::NoPrice {} => f.write_str("has no price in this currency"),
            Self::NotThePrice { amount } => {
                write!(f, "must be the price of the product, which is {amount}")
            }
            Self::ProfileNotLinked { network } => write!(
                f,
                "needs a {network} profile, which the user who gets it has not linked"
            ),
            Self::NotForServer {} => f.write_str("is not a server of the product"),
            Self::OnlyWith { other } => write!(f, "must be left out without {other}"),
            Self::TooManyServers { max } => {
                write!(f, "must have at most {max} pairs of a step and a server")
            }
        }
    }
}

/// `a`, `a or b`, `a, b or c`.
fn series<T: AsRef<str>>(names: &[T], conjunction: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("{} {conjunction} {last}", others.join(", "))
        }
        _ => names.concat(),
    }
}

/// Declares a parameter with a closed list of values, and the words for each.
macro_rules! parameter {
    (
        $(#[doc = $doc:literal])*
        $name:ident { $($value:ident: $words:literal,)+ }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[schemars(inline)]
        pub enum $name {
            $($value,)+
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$value => $words,)+
                })
            }
        }
    };
}

parameter! {
    /// A type of JSON values.
    ValueType {
        String: "a string",
        Boolean: "true or false",
        Number: "a number",
        Object: "an object",
    }
}

parameter! {
    /// The types of blocks whose content has rules.
    BlockType {
        Image: "an image block",
        Text: "a text block",
    }
}

parameter! {
    /// The items of a list.
    ListItems {
        Items: "items",
        Ids: "ids",
        Strings: "strings",
        Actions: "actions",
        Networks: "networks",
        Players: "players",
        Prices: "prices",
        Steps: "steps",
    }
}

parameter! {
    /// The unit of the length of a text.
    LengthUnit {
        Characters: "characters",
        Bytes: "bytes",
    }
}

parameter! {
    /// Characters that a text must not contain.
    Characters {
        Nul: "the NUL character",
        Control: "control characters",
        Invisible: "bidirectional or zero-width characters",
    }
}

parameter! {
    /// The characters that a text may contain.
    CharacterSet {
        Word: "of a-z, 0-9, _ and -",
        Identifier: "letters, digits, _, - or .",
        Alphanumeric: "letters or digits",
        Path: "of the letters a to z, digits, - _ . ~ and single slashes between them",
        VisibleAscii: "visible ASCII characters",
        Printable: "characters, none of them control characters",
    }
}

parameter! {
    /// The format of a value.
    TextFormat {
        Email: "an email address",
        IpAddress: "an IPv4 or IPv6 address",
        HostAddress: "a host name or an address, with or without a port, such as \
                      play.example.org:27015 or [2001:db8::1]:27015",
        Network: "a network such as 10.0.0.0/8, or an address",
        Color: "a colour such as #1e90ff",
        Date: "a date such as 2026-03-01",
        DateTime: "a moment in ISO 8601, such as 2026-03-01T12:00:00Z",
        DateOrDateTime: "a date such as 2026-03-01, or a moment in ISO 8601 such as \
                         2026-03-01T12:00:00Z",
        Url: "a URL that begins with http:// or https:// and has a host",
        Profile: "an http or https address, or a handle without spaces",
        ProfileTemplate: "an http or https address that contains {handle} once",
        ActionPattern: "an action such as users.block, all of a resource such as users.*, or *",
        EventId: "the id of an event",
        Json: "a JSON value",
        SteamId: "a SteamID of a person, such as 76561197960265729, STEAM_1:1:0 or [U:1:1]",
        SteamId64: "a SteamID64 such as 76561197960265729",
        IpRange: "an address or a range such as 192.0.2.0/24, of /16 to /32 for IPv4 and /32 to \
                  /128 for IPv6, without bits after the prefix",
        DiscordId: "an id of Discord: 17 to 20 digits in a string",
        Caller: "a key such as key:3 or an operator such as operator:5",
    }
}

parameter! {
    /// The kind of resource that an id or a name refers to.
    Referent {
        Currency: "a currency",
        GameServer: "a game server",
        NavigationItem: "a navigation item",
        PageBlock: "a block of this page",
        Permission: "a permission",
        Role: "a role",
        SocialNetwork: "a social network",
        User: "a user",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_named_as_a_sentence_does() {
        assert_eq!(series(&["a"], "or"), "a");
        assert_eq!(series(&["a", "b"], "or"), "a or b");
        assert_eq!(series(&["a", "b", "c"], "and"), "a, b and c");
    }

    #[test]
    fn a_fault_is_a_code_with_parameters_and_a_sentence() {
        for (fault, json, sentence) in [
            (
                Fault::Taken {},
                r#"{"code":"taken","params":{}}"#,
                "has already been taken",
            ),
            (
                Fault::OutOfRange { min: 1, max: None },
                r#"{"code":"out_of_range","params":{"min":1}}"#,
                "must be an integer of at least 1",
            ),
            (
                Fault::not_one_of(&["csv", "ndjson"]),
                r#"{"code":"not_one_of","params":{"values":["csv","ndjson"]}}"#,
                "must be csv or ndjson",
            ),
            (
                Fault::wrong_format(TextFormat::DateTime),
                r#"{"code":"wrong_format","params":{"format":"date_time"}}"#,
                "must be a moment in ISO 8601, such as 2026-03-01T12:00:00Z",
            ),
            (
                Fault::wrong_characters(CharacterSet::Alphanumeric, 3, 3),
                r#"{"code":"wrong_characters","params":{"allowed":"alphanumeric","min":3,"max":3}}"#,
                "must be 3 letters or digits",
            ),
            (
                Fault::WrongContent {
                    block: BlockType::Image,
                    expected: ValueType::Object,
                },
                r#"{"code":"wrong_content","params":{"block":"image","expected":"object"}}"#,
                "must be an object in an image block",
            ),
        ] {
            assert_eq!(serde_json::to_string(&fault).expect(json), json);
            assert_eq!(fault.to_string(), sentence);
        }
    }
}
