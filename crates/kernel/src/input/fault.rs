use std::collections::BTreeSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use indexmap::IndexMap;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::Error;

/// The fault of a value that must be unique and is not.
pub const TAKEN: &str = "has already been taken";

/// How many faults a reply lists. Of the others it says how many there are.
const MOST_LISTED: usize = 100;

/// Everything that is wrong with a request, by field. One found twice counts once.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Faults {
    by_field: IndexMap<String, Vec<String>>,
    listed: usize,
    /// Hashes of the faults beyond the limit: enough to count them, and small.
    unlisted: BTreeSet<u64>,
}

impl Faults {
    /// One fault, for a rule that only a write can check.
    pub fn one(field: &str, sentence: impl Into<String>) -> Self {
        let mut faults = Self::default();
        faults.at(field).add(sentence);
        faults
    }

    pub fn at<'a>(&'a mut self, field: &'a str) -> Place<'a> {
        let path = Path {
            outer: None,
            step: Step::Name(field),
        };
        Place {
            faults: self,
            path,
            strict: false,
        }
    }

    /// The request as a whole; unknown fields in it are faults when `strict`.
    pub fn root(&mut self, strict: bool) -> Place<'_> {
        let path = Path {
            outer: None,
            step: Step::Root,
        };
        Place {
            faults: self,
            path,
            strict,
        }
    }

    /// Adds the faults that a check found. Any other error of the check is returned.
    pub fn gather(&mut self, checked: crate::Result<()>) -> crate::Result<()> {
        match checked {
            Err(Error::Invalid(found)) => {
                self.extend(found);
                Ok(())
            }
            other => other,
        }
    }

    /// An error if there are any.
    pub fn check(self) -> crate::Result<()> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(self.into())
        }
    }

    /// Adds the faults of another check of the same request.
    pub fn extend(&mut self, more: Self) {
        self.unlisted.extend(more.unlisted);
        for (field, sentences) in more.by_field {
            for sentence in sentences {
                self.add(field.clone(), sentence);
            }
        }
        for (field, sentences) in &self.by_field {
            for sentence in sentences {
                self.unlisted.remove(&hash(field, sentence));
            }
        }
    }

    fn add(&mut self, field: String, sentence: String) {
        let sentences = self.by_field.get(&field);
        if sentences.is_some_and(|sentences| sentences.contains(&sentence)) {
            return;
        }
        if self.listed == MOST_LISTED {
            self.unlisted.insert(hash(&field, &sentence));
            return;
        }
        self.listed += 1;
        self.by_field.entry(field).or_default().push(sentence);
    }

    /// Sorts by the position of the field, and inside a list by the position of the item.
    /// Fields without a position come last.
    pub(crate) fn sort_by_field(&mut self, position: impl Fn(&str) -> Option<usize>) {
        self.by_field.sort_by_cached_key(|path, _| {
            let mut steps = path.split('.');
            let field = steps.next().and_then(&position);
            let item: Option<usize> = steps.next().and_then(|step| step.parse().ok());
            (field.unwrap_or(usize::MAX), item)
        });
    }

    pub fn is_empty(&self) -> bool {
        self.by_field.is_empty()
    }

    /// The sentence for a person about all of them.
    pub(crate) fn message(&self) -> String {
        match self.left_out() {
            None => "The request is invalid.".to_owned(),
            Some(left_out) => format!("The request is invalid; {left_out}."),
        }
    }

    /// How many are not listed: `2 more faults are not shown`.
    fn left_out(&self) -> Option<String> {
        match self.unlisted.len() {
            0 => None,
            1 => Some("1 more fault is not shown".to_owned()),
            many => Some(format!("{many} more faults are not shown")),
        }
    }
}

fn hash(field: &str, sentence: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (field, sentence).hash(&mut hasher);
    hasher.finish()
}

/// By field, with the number of those left out under `...`.
impl Serialize for Faults {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (field, sentences) in &self.by_field {
            map.serialize_entry(field, sentences)?;
        }
        if let Some(left_out) = self.left_out() {
            map.serialize_entry("...", &[left_out])?;
        }
        map.end()
    }
}

/// Where in the request a fault is: `items.0.id`.
pub struct Place<'a> {
    faults: &'a mut Faults,
    path: Path<'a>,
    strict: bool,
}

impl Place<'_> {
    pub fn add(&mut self, sentence: impl Into<String>) {
        self.faults.add(self.path.to_string(), sentence.into());
    }

    /// The place one step further in.
    pub fn inside<'b>(&'b mut self, step: impl Into<Step<'b>>) -> Place<'b> {
        Place {
            path: Path {
                outer: Some(&self.path),
                step: step.into(),
            },
            faults: self.faults,
            strict: self.strict,
        }
    }

    pub fn is_strict(&self) -> bool {
        self.strict
    }
}

/// A path that becomes text only when there is a fault to add, which is seldom.
struct Path<'a> {
    outer: Option<&'a Path<'a>>,
    step: Step<'a>,
}

/// One step of a path: the name of a field, or the position of an item in a list.
pub enum Step<'a> {
    Root,
    Name(&'a str),
    Index(usize),
}

impl<'a> From<&'a str> for Step<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name)
    }
}

impl<'a> From<&'a String> for Step<'a> {
    fn from(name: &'a String) -> Self {
        Self::Name(name)
    }
}

impl From<usize> for Step<'_> {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = self.outer {
            outer.fmt(f)?;
            if !matches!(outer.step, Step::Root) {
                f.write_str(".")?;
            }
        }
        match self.step {
            Step::Root => Ok(()),
            Step::Name(name) => f.write_str(name),
            Step::Index(index) => index.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(faults: &Faults) -> String {
        serde_json::to_string(faults).expect("faults serialise")
    }

    fn numbered(range: std::ops::Range<usize>) -> Faults {
        let mut faults = Faults::default();
        for i in range {
            faults.at("ids").inside(i).add("is unknown");
        }
        faults
    }

    #[test]
    fn a_path_names_fields_and_positions() {
        let mut faults = Faults::default();
        let mut root = faults.root(false);
        root.inside("items").inside(2).inside("id").add("is bad");
        root.inside("name").add("is long");
        let expected = r#"{"items.2.id":["is bad"],"name":["is long"]}"#;
        assert_eq!(json(&faults), expected);
    }

    #[test]
    fn one_found_twice_counts_once() {
        let mut faults = Faults::one("code", "is taken");
        faults.extend(Faults::one("code", "is taken"));
        faults.extend(Faults::one("code", "is short"));
        assert_eq!(json(&faults), r#"{"code":["is taken","is short"]}"#);
    }

    #[test]
    fn a_hundred_are_listed_and_the_others_counted() {
        let mut faults = numbered(0..100);
        assert_eq!(faults.left_out(), None);
        faults.at("ids").inside(100).add("is unknown");
        assert_eq!(
            faults.left_out().as_deref(),
            Some("1 more fault is not shown")
        );
        let faults = numbered(0..1000);
        assert_eq!(faults.by_field.len(), 100);
        assert!(json(&faults).ends_with(r#""...":["900 more faults are not shown"]}"#));
    }

    #[test]
    fn what_another_check_finds_again_is_not_counted_again() {
        let mut faults = numbered(0..1000);
        faults.extend(numbered(0..1000));
        assert_eq!(faults, numbered(0..1000));

        let mut faults = numbered(990..1000);
        faults.extend(numbered(0..1000));
        assert_eq!(faults.by_field.len(), 100);
        assert_eq!(faults.unlisted.len(), 900);
    }

    #[test]
    fn fields_come_in_the_order_of_their_declaration() {
        let mut faults = Faults::default();
        for field in ["x", "ids.10", "name", "ids.9"] {
            faults.at(field).add("is bad");
        }
        let order = ["name", "ids"];
        faults.sort_by_field(|name| order.iter().position(|field| *field == name));
        let fields: Vec<&String> = faults.by_field.keys().collect();
        assert_eq!(fields, ["name", "ids.9", "ids.10", "x"]);
    }
}
