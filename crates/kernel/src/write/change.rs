//! [`Change`]: the result of a write with its audit entry.

use serde::Serialize;
use serde_json::value::to_raw_value;

use super::Resource;
use super::audit::{self, Side};
use super::edit::Target;
use super::etag;
use crate::Result;

/// The result of a write. Only a `Change` can be committed, so every write has an audit entry.
#[must_use = "a change takes effect when it is committed"]
#[derive(Debug)]
pub struct Change<T> {
    pub(super) value: T,
    /// If `None`, the transaction is rolled back.
    pub(super) entry: Option<audit::Entry>,
    /// The entries of what follows from the change.
    pub(super) further: Vec<audit::Entry>,
    /// The entity tag of the resource that was created or changed.
    etag: Option<String>,
    /// The path of the created resource, if it has one.
    created: Option<CreatedPath>,
    secrecy: Secrecy,
}

/// The path of a created resource, relative to that of the request. A PUT creates at its own path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreatedPath {
    /// A POST to a list creates below it.
    Below(i64),
    /// A POST to an action creates the resource that the action is on.
    OfAction,
}

/// Whether the reply reveals a secret that is not stored, such as the value of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Secrecy {
    #[default]
    Ordinary,
    RevealsSecret,
}

impl<T> Change<T> {
    fn new<R: Resource>(verb: &str, on: &R, before: Side, after: Side, value: T) -> Self {
        Self::of_entry(verb, R::PLURAL, on.id(), before, after, value).about_user(on.user_id())
    }

    fn of_entry(
        verb: &str,
        resource: &'static str,
        resource_id: i64,
        before: Side,
        after: Side,
        value: T,
    ) -> Self {
        let entry = audit::Entry {
            action: [resource, ".", verb].concat(),
            resource,
            resource_id,
            about_user_id: None,
            before,
            after,
        };
        Self {
            value,
            entry: Some(entry),
            further: Vec::new(),
            etag: None,
            created: None,
            secrecy: Secrecy::default(),
        }
    }

    /// The result of a dry run: the transaction is rolled back.
    pub fn dry_run(value: T) -> Self {
        Self {
            value,
            entry: None,
            further: Vec::new(),
            etag: None,
            created: None,
            secrecy: Secrecy::default(),
        }
    }

    /// A change of many resources. Its entry has the id 0.
    pub fn of_many<R: Resource>(
        verb: &str,
        before: &impl Serialize,
        after: &impl Serialize,
        value: T,
    ) -> Self {
        let (before, after) = (Side::of(before), Side::of(after));
        Self::of_entry(verb, R::PLURAL, 0, before, after, value)
    }

    /// Names the user that the entry is about, if its resource does not tell.
    pub fn about_user(mut self, user_id: Option<i64>) -> Self {
        if let Some(entry) = &mut self.entry {
            entry.about_user_id = user_id;
        }
        self
    }

    /// An action that does not change the resource. The audit entry shows `what`.
    pub fn of_action<R: Resource>(
        verb: &str,
        on: &Target<R>,
        what: &impl Serialize,
        value: T,
    ) -> Self {
        Self::new(verb, &on.0, Side::empty(), Side::of(what), value)
    }

    /// A change of a part of a resource. The audit entry has the fields that differ.
    pub fn of_part<R: Resource>(
        verb: &str,
        whole: &Target<R>,
        before: &impl Serialize,
        after: &impl Serialize,
        value: T,
    ) -> Self {
        let (old, new) = Side::differences(&Side::of(before), &Side::of(after));
        Self::new(verb, &whole.0, old, new, value)
    }

    /// Like [`Self::of_part`], with all fields of a part that has changed: those that differ would
    /// not tell which part it is.
    pub fn of_whole_part<R: Resource, P: Serialize>(
        verb: &str,
        whole: &Target<R>,
        before: Option<&P>,
        after: Option<&P>,
        value: T,
    ) -> Self {
        let side = |part: Option<&P>| part.map_or_else(Side::empty, |part| Side::of(part));
        let (mut old, mut new) = (side(before), side(after));
        if old.text() == new.text() {
            (old, new) = (Side::empty(), Side::empty());
        }
        Self::new(verb, &whole.0, old, new, value)
    }

    /// The value alone, if the audit entry of a larger change covers this one.
    pub fn into_part(self) -> T {
        self.value
    }

    /// Adds the entries of what follows from the change.
    pub fn followed_by(mut self, entries: impl IntoIterator<Item = audit::Entry>) -> Self {
        self.further.extend(entries);
        self
    }

    /// Adds the entries of what came first.
    pub fn preceded_by(mut self, entries: impl IntoIterator<Item = audit::Entry>) -> Self {
        let mut all: Vec<audit::Entry> = entries.into_iter().collect();
        all.extend(self.entry.take());
        all.append(&mut self.further);
        let mut all = all.into_iter();
        self.entry = all.next();
        self.further = all.collect();
        self
    }

    /// The audit entries alone, of a change that follows from another.
    pub fn into_entries(self) -> Vec<audit::Entry> {
        self.into_value_and_entries().1
    }

    /// The value and the audit entries, of a change that is part of another.
    pub fn into_value_and_entries(self) -> (T, Vec<audit::Entry>) {
        let entries = self.entry.into_iter().chain(self.further);
        (self.value, entries.collect())
    }

    /// Converts the value of the change.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Change<U> {
        Change {
            value: convert(self.value),
            entry: self.entry,
            further: self.further,
            etag: self.etag,
            created: self.created,
            secrecy: self.secrecy,
        }
    }

    /// Like [`Self::map`], but fallible.
    pub(crate) fn try_map<U>(self, convert: impl FnOnce(T) -> Result<U>) -> Result<Change<U>> {
        Ok(Change {
            value: convert(self.value)?,
            entry: self.entry,
            further: self.further,
            etag: self.etag,
            created: self.created,
            secrecy: self.secrecy,
        })
    }

    /// Marks the reply as one that reveals a secret. It is stored so that only the client that got
    /// it can read it again.
    pub fn revealing_secret(mut self) -> Self {
        self.secrecy = Secrecy::RevealsSecret;
        self
    }

    pub(crate) fn secrecy(&self) -> Secrecy {
        self.secrecy
    }

    /// Marks the change as one that created a part with this id.
    pub fn creating_part(mut self, id: i64) -> Self {
        self.created = Some(CreatedPath::Below(id));
        self
    }

    /// Marks the change as one that created the part its action is on.
    pub fn creating_acted_on(mut self) -> Self {
        self.created = Some(CreatedPath::OfAction);
        self
    }

    /// Removes the path of a created resource that cannot be read on its own.
    pub fn without_path(mut self) -> Self {
        self.created = None;
        self.etag = None;
        self
    }

    pub(crate) fn created_path(&self) -> Option<CreatedPath> {
        self.created
    }

    /// Sets the entity tag of the resource, for a change of a part of it.
    pub fn with_etag_of<R: Resource>(mut self, resource: &R) -> Self {
        self.etag = Some(etag::of(resource));
        self
    }

    /// The new entity tag, if the change is one of a single resource.
    pub(crate) fn etag(&self) -> Option<&str> {
        self.etag.as_deref()
    }
}

impl Change<()> {
    /// A read, which changes nothing. The audit entry shows `what`; its id is 0 for many resources.
    pub fn of_read(verb: &str, resource: &'static str, id: i64, what: &impl Serialize) -> Self {
        Self::of_entry(verb, resource, id, Side::empty(), Side::of(what), ())
    }
}

impl<R: Resource> Change<R> {
    pub fn created(resource: R) -> Self {
        let mut after = Side::of(&resource);
        after.mask(R::SECRETS);
        let change = Change::new("create", &resource, Side::empty(), after, ());
        Self {
            etag: Some(etag::of(&resource)),
            created: Some(CreatedPath::Below(resource.id())),
            ..change.map(|()| resource)
        }
    }

    /// `verb` names the operation: `update`, `permissions`, `toggle`.
    pub fn updated(verb: &str, before: &Target<R>, after: R) -> Self {
        let (old, new) = Side::differences(&Side::of(&before.0), &Side::of(&after));
        let change = Change::new(verb, &after, old, new, ());
        Self {
            etag: Some(etag::of(&after)),
            ..change.map(|()| after)
        }
    }

    /// Adds a masked field to the entry, since no other field shows that a secret was replaced.
    pub fn with_new_secret(mut self, field: &str) -> Self {
        if let Some(entry) = &mut self.entry {
            entry.before.mask(&[field]);
            entry.after.mask(&[field]);
        }
        self
    }

    /// Adds a removed secret to the entry: masked before, null after.
    pub fn with_removed_secret(mut self, field: &str) -> Self {
        if let Some(entry) = &mut self.entry {
            entry.before.mask(&[field]);
            let null = to_raw_value(&()).expect("null serialises");
            entry.after.insert(field, &null);
        }
        self
    }

    /// Adds a deleted part to the state before, as a field.
    pub fn with_deleted_part(mut self, field: &str, part: &impl Serialize) -> Self {
        if let (Some(entry), Ok(part)) = (&mut self.entry, to_raw_value(part)) {
            entry.before.insert(field, &part);
        }
        self
    }

    pub fn deleted(before: Target<R>) -> Self {
        let mut old = Side::of(&before.0);
        old.mask(R::SECRETS);
        Change::new("delete", &before.0, old, Side::empty(), ()).map(|()| before.0)
    }
}
