use indexmap::IndexMap;
use serde::Serialize;

/// Everything that is wrong with a request, by field.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Faults(IndexMap<String, Vec<String>>);

impl Faults {
    /// One fault, for a rule that only shows once the request is being carried out.
    pub fn one(field: &str, sentence: impl Into<String>) -> Self {
        let mut faults = Self::default();
        faults.at(field).add(sentence);
        faults
    }

    pub fn at(&mut self, field: &str) -> Place<'_> {
        Place {
            faults: self,
            path: field.to_owned(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Where in the request a fault is: `items.0.id`.
pub struct Place<'a> {
    faults: &'a mut Faults,
    path: String,
}

impl Place<'_> {
    pub fn add(&mut self, sentence: impl Into<String>) {
        let sentences = self.faults.0.entry(self.path.clone()).or_default();
        sentences.push(sentence.into());
    }

    /// The place one step further in.
    pub fn inside(&mut self, step: impl std::fmt::Display) -> Place<'_> {
        Place {
            path: format!("{}.{step}", self.path),
            faults: self.faults,
        }
    }
}
