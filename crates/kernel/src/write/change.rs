//! [`Change`]: the result of a write with its audit entry.

use serde::Serialize;
use serde_json::value::to_raw_value;

use super::Resource;
use super::audit::{self, Side};
use super::edit::Target;
use super::etag;
use crate::Result;

/// Only a `Change` can be committed, so no write lacks an audit entry.
#[must_use = "a change takes effect when it is committed"]
#[derive(Debug)]
pub struct Change<T> {
    pub(super) value: T,
    /// Without one, the transaction is rolled back.
    pub(super) entry: Option<audit::Entry>,
    /// Of the resource that was created or changed.
    etag: Option<String>,
    /// The id of what was created, which ends its path.
    created_id: Option<i64>,
    secrecy: Secrecy,
}

/// Whether the reply to a change reveals a secret that is not stored, such as the value of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Secrecy {
    #[default]
    Ordinary,
    RevealsSecret,
}

impl<T> Change<T> {
    fn new<R: Resource>(verb: &str, id: i64, before: Side, after: Side, value: T) -> Self {
        let entry = audit::Entry {
            action: [R::PLURAL, ".", verb].concat(),
            resource: R::PLURAL,
            resource_id: id,
            before,
            after,
        };
        Self {
            value,
            entry: Some(entry),
            etag: None,
            created_id: None,
            secrecy: Secrecy::default(),
        }
    }

    /// The result of a dry run: the transaction is rolled back.
    pub fn dry_run(value: T) -> Self {
        Self {
            value,
            entry: None,
            etag: None,
            created_id: None,
            secrecy: Secrecy::default(),
        }
    }

    /// A change of many resources at once. Its entry has the id 0.
    pub fn of_many<R: Resource>(
        verb: &str,
        before: &impl Serialize,
        after: &impl Serialize,
        value: T,
    ) -> Self {
        Self::new::<R>(verb, 0, Side::of(before), Side::of(after), value)
    }

    /// An action that does not change the resource. The audit entry shows `what`.
    pub fn of_action<R: Resource>(
        verb: &str,
        on: &Target<R>,
        what: &impl Serialize,
        value: T,
    ) -> Self {
        Self::new::<R>(verb, on.id(), Side::empty(), Side::of(what), value)
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
        Self::new::<R>(verb, whole.id(), old, new, value)
    }

    /// The value alone, when the audit entry of a larger change covers this one.
    pub fn into_part(self) -> T {
        self.value
    }

    /// The same change with another value.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Change<U> {
        Change {
            value: convert(self.value),
            entry: self.entry,
            etag: self.etag,
            created_id: self.created_id,
            secrecy: self.secrecy,
        }
    }

    /// Like [`Self::map`], but it can fail.
    pub(crate) fn try_map<U>(self, convert: impl FnOnce(T) -> Result<U>) -> Result<Change<U>> {
        Ok(Change {
            value: convert(self.value)?,
            entry: self.entry,
            etag: self.etag,
            created_id: self.created_id,
            secrecy: self.secrecy,
        })
    }

    /// Marks the reply as one that reveals a secret. It is then stored so that only the client that
    /// got it can read it again.
    pub fn revealing_secret(mut self) -> Self {
        self.secrecy = Secrecy::RevealsSecret;
        self
    }

    pub(crate) fn secrecy(&self) -> Secrecy {
        self.secrecy
    }

    /// Says that the part of the resource that was changed is new, and has this id.
    pub fn creating_part(mut self, id: i64) -> Self {
        self.created_id = Some(id);
        self
    }

    /// For what was created and cannot be read by itself.
    pub fn without_path(mut self) -> Self {
        self.created_id = None;
        self.etag = None;
        self
    }

    /// The id of what was created, if it has a path of its own.
    pub(crate) fn created_id(&self) -> Option<i64> {
        self.created_id
    }

    /// Sets the entity tag of the resource, for a change of a part of it.
    pub fn with_etag_of<R: Resource>(mut self, resource: &R) -> Self {
        self.etag = Some(etag::of(resource));
        self
    }

    /// The new entity tag of the resource, if the change is one of a single resource.
    pub(crate) fn etag(&self) -> Option<&str> {
        self.etag.as_deref()
    }
}

impl<R: Resource> Change<R> {
    pub fn created(resource: R) -> Self {
        let mut after = Side::of(&resource);
        after.mask(R::SECRETS);
        let id = resource.id();
        Self {
            etag: Some(etag::of(&resource)),
            created_id: Some(id),
            ..Self::new::<R>("create", id, Side::empty(), after, resource)
        }
    }

    /// `verb` names the operation: `update`, `permissions`, `toggle`.
    pub fn updated(verb: &str, before: &Target<R>, after: R) -> Self {
        let (old, new) = Side::differences(&Side::of(&before.0), &Side::of(&after));
        let etag = etag::of(&after);
        Self {
            etag: Some(etag),
            ..Self::new::<R>(verb, after.id(), old, new, after)
        }
    }

    /// Adds a masked field to the entry, since a replaced secret shows in no other field.
    pub fn with_new_secret(mut self, field: &str) -> Self {
        if let Some(entry) = &mut self.entry {
            entry.before.mask(&[field]);
            entry.after.mask(&[field]);
        }
        self
    }

    /// Adds a secret field to the entry that is gone now: masked before, null after.
    pub fn with_removed_secret(mut self, field: &str) -> Self {
        if let Some(entry) = &mut self.entry {
            entry.before.mask(&[field]);
            let null = to_raw_value(&()).expect("null serialises");
            entry.after.insert(field, &null);
        }
        self
    }

    /// Adds a field to what the entry shows of the state before: a part that was deleted as well.
    pub fn with_deleted_part(mut self, field: &str, part: &impl Serialize) -> Self {
        if let (Some(entry), Ok(part)) = (&mut self.entry, to_raw_value(part)) {
            entry.before.insert(field, &part);
        }
        self
    }

    pub fn deleted(before: Target<R>) -> Self {
        let mut old = Side::of(&before.0);
        old.mask(R::SECRETS);
        Self::new::<R>("delete", before.id(), old, Side::empty(), before.0)
    }
}
