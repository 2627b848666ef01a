use std::collections::BTreeSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;

use indexmap::IndexMap;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Fault, LengthUnit};
use crate::Error;

/// How many faults a reply lists. Of the others it says how many there are.
const MOST_LISTED: usize = 100;

/// Everything that is wrong with a request, by field. One found twice counts once.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Faults {
    by_field: IndexMap<String, Vec<Fault>>,
    listed: usize,
    /// Hashes of the faults beyond the limit: enough to count them, and small.
    unlisted: BTreeSet<u64>,
}

impl Faults {
    /// One fault, for a rule that only a write can check.
    pub fn one(field: &str, fault: Fault) -> Self {
        let mut faults = Self::default();
        faults.at(field).add(fault);
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
        for (field, faults) in more.by_field {
            for fault in faults {
                self.add(field.clone(), fault);
            }
        }
        for (field, faults) in &self.by_field {
            for fault in faults {
                self.unlisted.remove(&hash(field, fault));
            }
        }
    }

    fn add(&mut self, field: String, fault: Fault) {
        let faults = self.by_field.get(&field);
        if faults.is_some_and(|faults| faults.contains(&fault)) {
            return;
        }
        if self.listed == MOST_LISTED {
            self.unlisted.insert(hash(&field, &fault));
            return;
        }
        self.listed += 1;
        self.by_field.entry(field).or_default().push(fault);
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

    /// The listed faults, in the order of their sentences.
    pub fn list(&self) -> Vec<ListedFault> {
        let by_field = self.by_field.iter();
        let listed = by_field.flat_map(|(field, faults)| {
            faults.iter().map(|fault| ListedFault {
                field: field.clone(),
                fault: fault.clone(),
            })
        });
        listed.collect()
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

fn hash(field: &str, fault: &Fault) -> u64 {
    let mut hasher = DefaultHasher::new();
    (field, fault).hash(&mut hasher);
    hasher.finish()
}

/// The sentences by field, with the number of those left out under `...`.
impl Serialize for Faults {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (field, faults) in &self.by_field {
            let sentences: Vec<String> = faults.iter().map(Fault::to_string).collect();
            map.serialize_entry(field, &sentences)?;
        }
        if let Some(left_out) = self.left_out() {
            map.serialize_entry("...", &[left_out])?;
        }
        map.end()
    }
}

/// One fault, for programs.
#[derive(Serialize)]
pub struct ListedFault {
    field: String,
    #[serde(flatten)]
    fault: Fault,
}

/// Where in the request a fault is: `items.0.id`.
pub struct Place<'a> {
    faults: &'a mut Faults,
    path: Path<'a>,
    strict: bool,
}

impl Place<'_> {
    pub fn add(&mut self, fault: Fault) {
        self.faults.add(self.path.to_string(), fault);
    }

    /// Adds a fault and returns `None` if the length of a text is not within the limits.
    pub fn check_length(
        &mut self,
        length: usize,
        limit: RangeInclusive<usize>,
        unit: LengthUnit,
    ) -> Option<()> {
        let (min, max) = (*limit.start() as i64, *limit.end() as i64);
        if limit.contains(&length) {
            return Some(());
        }
        self.add(match length > *limit.end() {
            true => Fault::TooLong { min, max, unit },
            false => Fault::TooShort {
                min,
                max: Some(max),
                unit,
            },
        });
        None
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
    use crate::input::Referent;

    const UNKNOWN: Fault = Fault::unknown_id(Referent::Role);

    fn json(faults: impl Serialize) -> String {
        serde_json::to_string(&faults).expect("faults serialise")
    }

    fn numbered(range: std::ops::Range<usize>) -> Faults {
        let mut faults = Faults::default();
        for i in range {
            faults.at("ids").inside(i).add(UNKNOWN);
        }
        faults
    }

    #[test]
    fn a_path_names_fields_and_positions() {
        let mut faults = Faults::default();
        let mut root = faults.root(false);
        root.inside("items").inside(2).inside("id").add(UNKNOWN);
        root.inside("name").add(Fault::Blank {});
        let expected = r#"{"items.2.id":["is not the id of a role"],"name":["must not be blank"]}"#;
        assert_eq!(json(&faults), expected);
    }

    #[test]
    fn one_found_twice_counts_once() {
        let mut faults = Faults::one("code", Fault::Taken {});
        faults.extend(Faults::one("code", Fault::Taken {}));
        faults.extend(Faults::one("code", Fault::Blank {}));
        let expected = r#"{"code":["has already been taken","must not be blank"]}"#;
        assert_eq!(json(&faults), expected);
    }

    #[test]
    fn the_list_has_codes_in_the_order_of_the_sentences() {
        let mut faults = Faults::one("ids.0", UNKNOWN);
        faults.at("name").add(Fault::Blank {});
        faults.at("ids.0").add(Fault::Repeated {});
        let expected = [
            r#"{"field":"ids.0","code":"unknown_id","params":{"resource":"role"}}"#,
            r#"{"field":"ids.0","code":"repeated","params":{}}"#,
            r#"{"field":"name","code":"blank","params":{}}"#,
        ];
        assert_eq!(json(faults.list()), format!("[{}]", expected.join(",")));
    }

    #[test]
    fn a_length_has_a_lower_and_an_upper_limit() {
        let mut faults = Faults::default();
        for length in 0..=4 {
            let mut place = faults.at("name");
            let is_valid = place
                .check_length(length, 2..=3, LengthUnit::Bytes)
                .is_some();
            assert_eq!(is_valid, [2, 3].contains(&length));
        }
        let unit = LengthUnit::Bytes;
        let expected = [
            Fault::TooShort {
                min: 2,
                max: Some(3),
                unit,
            },
            Fault::TooLong {
                min: 2,
                max: 3,
                unit,
            },
        ];
        assert_eq!(faults.by_field["name"], expected);
    }

    #[test]
    fn a_hundred_are_listed_and_the_others_counted() {
        let mut faults = numbered(0..100);
        assert_eq!(faults.left_out(), None);
        faults.at("ids").inside(100).add(UNKNOWN);
        assert_eq!(
            faults.left_out().as_deref(),
            Some("1 more fault is not shown")
        );
        let faults = numbered(0..1000);
        assert_eq!(faults.by_field.len(), 100);
        assert_eq!(json(faults.list()).matches("unknown_id").count(), 100);
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
            faults.at(field).add(UNKNOWN);
        }
        let order = ["name", "ids"];
        faults.sort_by_field(|name| order.iter().position(|field| *field == name));
        let fields: Vec<&String> = faults.by_field.keys().collect();
        assert_eq!(fields, ["name", "ids.9", "ids.10", "x"]);
    }
}
