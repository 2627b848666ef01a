use indexmap::IndexMap;
use serde::Serialize;

use crate::Error;

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
            strict: false,
        }
    }

    /// The request as a whole; unknown fields in it are faults when `strict`.
    pub fn root(&mut self, strict: bool) -> Place<'_> {
        Place {
            faults: self,
            path: String::new(),
            strict,
        }
    }

    /// Takes over the faults that a check found, so that they come with all others. What else
    /// it failed with is passed on.
    pub fn gather(&mut self, checked: crate::Result<()>) -> crate::Result<()> {
        match checked {
            Err(Error::Invalid(found)) => {
                self.0.extend(found.0);
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

    /// Adds those that another look has found.
    pub fn extend(&mut self, more: Self) {
        for (field, sentences) in more.0 {
            self.0.entry(field).or_default().extend(sentences);
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
    strict: bool,
}

impl Place<'_> {
    pub fn add(&mut self, sentence: impl Into<String>) {
        let sentences = self.faults.0.entry(self.path.clone()).or_default();
        sentences.push(sentence.into());
    }

    /// The place one step further in.
    pub fn inside(&mut self, step: impl std::fmt::Display) -> Place<'_> {
        let path = match self.path.as_str() {
            "" => step.to_string(),
            path => format!("{path}.{step}"),
        };
        Place {
            path,
            faults: self.faults,
            strict: self.strict,
        }
    }

    pub fn is_strict(&self) -> bool {
        self.strict
    }
}
