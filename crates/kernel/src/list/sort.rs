//! Orders that a list can be asked for in, and places in a list that stay when what was there is
//! deleted.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::input::{Faults, Place, Positive, Raw, Rule, text};

/// What the items of a list can be ordered by.
pub trait Key: Copy + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Every key under its name on the wire.
    const ALL: &'static [(&'static str, Self)];
    const DEFAULT: Sort<Self>;

    /// What tells the places in this order apart.
    fn kind(self) -> Kind;
}

/// The form of a [`Mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Id,
    /// Where numbers are equal, the id decides.
    NumberThenId,
    /// No two are equal.
    Text,
}

/// An order: by a key, upwards or downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort<K> {
    pub by: K,
    pub descending: bool,
}

impl<K> Sort<K> {
    pub const fn ascending(by: K) -> Self {
        Self {
            by,
            descending: false,
        }
    }

    pub const fn descending(by: K) -> Self {
        Self {
            by,
            descending: true,
        }
    }
}

impl<K: Key> Sort<K> {
    fn parse(text: &str) -> Option<Self> {
        let (name, descending) = match text.strip_prefix('-') {
            Some(name) => (name, true),
            None => (text, false),
        };
        let mut keys = K::ALL.iter();
        let (_, by) = *keys.find(|(known, _)| *known == name)?;
        Some(Self { by, descending })
    }

    pub fn cursor(self, item: &impl Sorted<K>) -> Cursor<K> {
        Cursor {
            sort: self,
            mark: item.mark(self.by),
        }
    }

    /// Makes sure that a cursor is a place in this order and not in another.
    pub fn check(self, after: Option<&Cursor<K>>, faults: &mut Faults) {
        if after.is_some_and(|cursor| cursor.sort != self) {
            let sentence = "must come from a Link header under the same sort";
            faults.at("after").add(sentence);
        }
    }
}

impl<K: Key> fmt::Display for Sort<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.descending { "-" } else { "" };
        let named = K::ALL.iter().find(|(_, key)| *key == self.by);
        write!(f, "{sign}{}", named.map_or("", |(name, _)| name))
    }
}

impl<K: Key> Rule for Sort<K> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let sort = Self::parse(&text(raw, place)?);
        if sort.is_none() {
            let names: Vec<&str> = K::ALL.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            place.add(format!(
                "must be one of {names}, with - in front for descending"
            ));
        }
        sort
    }
}

impl<K: Key> JsonSchema for Sort<K> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Sort".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": names::<K>() })
    }
}

fn names<K: Key>() -> Vec<String> {
    let names = K::ALL.iter();
    names
        .flat_map(|(name, _)| [(*name).to_owned(), format!("-{name}")])
        .collect()
}

/// Something that has its place in such a list.
pub trait Sorted<K> {
    fn mark(&self, by: K) -> Mark;
}

/// What an item is found by in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    Id(i64),
    NumberThenId(i64, i64),
    Text(String),
}

impl Mark {
    fn parse(kind: Kind, text: &str) -> Option<Self> {
        match kind {
            Kind::Id => number(text).map(Self::Id),
            Kind::NumberThenId => {
                let (first, id) = text.split_once('.')?;
                Some(Self::NumberThenId(number(first)?, number(id)?))
            }
            Kind::Text => Some(Self::Text(text.to_owned())),
        }
    }

    /// For the columns that the order goes by.
    pub fn values(&self) -> Vec<db::Value<'_>> {
        match self {
            Self::Id(id) => vec![(*id).into()],
            Self::NumberThenId(number, id) => vec![(*number).into(), (*id).into()],
            Self::Text(text) => vec![text.into()],
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "{id}"),
            Self::NumberThenId(number, id) => write!(f, "{number}.{id}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// A place in a list, and the order it is a place in. The default order is not named, so that the
/// cursor of a list by id is an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor<K> {
    pub sort: Sort<K>,
    pub mark: Mark,
}

impl<K: Key> fmt::Display for Cursor<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sort != K::DEFAULT {
            write!(f, "{}:", self.sort)?;
        }
        write!(f, "{}", self.mark)
    }
}

impl<K: Key> Rule for Cursor<K> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        let (sort, mark) = match text.split_once(':') {
            Some((sort, mark)) => (Sort::<K>::parse(sort), mark),
            None if K::DEFAULT.by.kind() == Kind::Id => {
                let Positive(id) = Positive::read(raw, place)?;
                return Some(Self {
                    sort: K::DEFAULT,
                    mark: Mark::Id(id),
                });
            }
            None => (Some(K::DEFAULT), &*text),
        };
        let cursor = sort.and_then(|sort| {
            let mark = Mark::parse(sort.by.kind(), mark)?;
            Some(Self { sort, mark })
        });
        if cursor.is_none() {
            place.add("must come from a Link header");
        }
        cursor
    }
}

impl<K: Key> JsonSchema for Cursor<K> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Cursor".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let unnamed = match K::DEFAULT.by.kind() {
            Kind::Id => "0*[1-9][0-9]*",
            Kind::NumberThenId => r"-?[0-9]+\.-?[0-9]+",
            Kind::Text => r"[^:\u0000]*",
        };
        let names = names::<K>().join("|");
        let pattern = format!(r"^({unnamed}|({names}):[^\u0000]*)$");
        json_schema!({ "type": "string", "pattern": pattern })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum By {
        Id,
        Age,
        Name,
    }

    impl Key for By {
        const ALL: &'static [(&'static str, Self)] =
            &[("id", Self::Id), ("age", Self::Age), ("name", Self::Name)];
        const DEFAULT: Sort<Self> = Sort::ascending(Self::Id);

        fn kind(self) -> Kind {
            match self {
                Self::Id => Kind::Id,
                Self::Age => Kind::NumberThenId,
                Self::Name => Kind::Text,
            }
        }
    }

    fn read<T: Rule>(text: &str) -> Result<T, String> {
        let mut faults = Faults::default();
        let value = T::read(Raw::Query(text), &mut faults.at("field"));
        value.ok_or_else(|| serde_json::to_string(&faults).expect("faults are plain"))
    }

    #[test]
    fn a_sort_reads_as_it_is_written() {
        for text in ["id", "-id", "age", "-age", "name", "-name"] {
            let sort: Sort<By> = read(text).expect(text);
            assert_eq!(sort.to_string(), text);
            assert_eq!(sort.descending, text.starts_with('-'));
        }
        for text in ["", "-", "--id", "ID", "id ", "+id", "size"] {
            let fault = read::<Sort<By>>(text).expect_err(text);
            assert!(
                fault.contains("must be one of id, age, name, with - in front"),
                "{fault}"
            );
        }
    }

    #[test]
    fn a_cursor_reads_as_it_is_written_and_knows_its_order() {
        for (text, sort, mark) in [
            ("17", "id", Mark::Id(17)),
            ("-id:17", "-id", Mark::Id(17)),
            ("age:30.17", "age", Mark::NumberThenId(30, 17)),
            ("-age:-30.17", "-age", Mark::NumberThenId(-30, 17)),
            ("name:a:b.c", "name", Mark::Text("a:b.c".into())),
            ("-name:", "-name", Mark::Text(String::new())),
        ] {
            let cursor: Cursor<By> = read(text).expect(text);
            assert_eq!(
                (cursor.sort, &cursor.mark),
                (read(sort).expect(sort), &mark)
            );
            assert_eq!(cursor.to_string(), text);
        }
        let named: Cursor<By> = read("id:17").expect("the default may be named");
        assert_eq!(named.to_string(), "17");
        let largest: Cursor<By> = read("99999999999999999999").expect("digits");
        assert_eq!(largest.mark, Mark::Id(i64::MAX));
    }

    #[test]
    fn anything_else_is_no_cursor() {
        for text in [
            ":",
            "id:",
            "id:x",
            "id:+1",
            "age:1",
            "age:1.",
            "age:.1",
            "age:1.2.3",
            "age:+1.2",
            "age:1.-",
            "age:99999999999999999999.1",
            "size:1",
            "--id:1",
            "name :x",
        ] {
            let fault = read::<Cursor<By>>(text).expect_err(text);
            assert!(fault.contains("must come from a Link header"), "{fault}");
        }
        for text in ["", "0", "-1", "x", "1.2"] {
            let fault = read::<Cursor<By>>(text).expect_err(text);
            assert!(
                fault.contains("must be an integer of at least 1"),
                "{fault}"
            );
        }
    }
}
