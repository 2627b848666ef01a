//! The pattern of every write.
//!
//! An [`Edit`] is a transaction that knows who acts and under which condition. What it changes is
//! found through [`Edit::target`], which is where `404` and `If-Match` are decided; the outcome is
//! a [`Change`], which carries the audit entry; and only a `Change` can be committed. So a slice
//! cannot forget any of it: without them it does not compile.

use std::ops::{Deref, DerefMut};

use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::auth::Actor;
use crate::secret::hold_secret_key;
use crate::types::Timestamp;
use crate::write::audit::{self, Fields};
use crate::write::etag::{self, Condition};
use crate::{Core, Error, Result};

/// Something that writes are about. Its serialised form is what the audit log compares, so it
/// holds every field that an update can set, and secrets only as `***`.
pub trait Resource: Serialize {
    /// As in the path and the audit log: `roles`.
    const PLURAL: &'static str;
    /// As in `There is no such role.`
    const SINGULAR: &'static str;

    /// Fields that are written but never shown; in the audit log they read `***`.
    const SECRETS: &'static [&'static str] = &[];

    fn id(&self) -> i64;

    /// State that is not serialised but changes the entity tag all the same.
    fn hidden(&self) -> &[u8] {
        &[]
    }

    /// What the entity tag is made of, besides what is hidden. It can count the changes of parts
    /// that a read leaves out.
    fn state(&self) -> Vec<u8> {
        serialised(self)
    }
}

pub fn serialised<T: Serialize + ?Sized>(state: &T) -> Vec<u8> {
    serde_json::to_vec(state).expect("a resource serialises")
}

/// A transaction on somebody's behalf. Dropping it rolls back.
pub struct Edit {
    core: Core,
    tx: db::Tx,
    actor: Actor,
    condition: Condition,
    now: Timestamp,
    is_rehearsal: bool,
}

impl Edit {
    pub async fn begin(core: &Core, actor: Actor, condition: Condition) -> Result<Self> {
        Ok(Self {
            core: core.clone(),
            tx: core.db.begin().await?,
            actor,
            condition,
            now: core.clock.now(),
            is_rehearsal: false,
        })
    }

    /// For work that nobody sends conditions with.
    pub async fn command_line(core: &Core) -> Result<Self> {
        Self::without_key(core, "command line").await
    }

    /// For what the service does of its own accord.
    pub async fn upkeep(core: &Core) -> Result<Self> {
        Self::without_key(core, "upkeep").await
    }

    async fn without_key(core: &Core, name: &str) -> Result<Self> {
        let actor = Actor::without_key(name, core.new_request_id());
        Self::begin(core, actor, Condition::none()).await
    }

    pub fn core(&self) -> &Core {
        &self.core
    }

    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The one moment that everything in this transaction happens at.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Dates everything that follows, the audit entry included.
    pub fn set_now(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Makes sure that what is to be changed exists and is what the caller thinks it is.
    /// It must have been locked before it was read.
    pub fn target<R: Resource>(&self, found: Option<R>) -> Result<Target<R>> {
        let resource = found.ok_or(Error::NotFound(R::SINGULAR))?;
        if !self.condition.allows(|| etag::of(&resource)) {
            return Err(Error::ChangedMeanwhile);
        }
        Ok(Target(resource))
    }

    /// When a resource was changed last: now, if anything about it is different.
    pub fn updated_at<R: Resource>(&self, before: &R, after: &R, last: Timestamp) -> Timestamp {
        if etag::of(before) == etag::of(after) {
            last
        } else {
            self.now
        }
    }

    /// Encrypts `plain` for one `place`, under a key that stays the right one until the end of
    /// the transaction.
    pub async fn seal(&mut self, place: &str, plain: &[u8]) -> Result<Vec<u8>> {
        hold_secret_key(&mut self.tx, &self.core.secret_key).await?;
        Ok(self.core.secret_key.seal(place, plain))
    }

    /// Decrypts what was sealed for one `place`.
    pub async fn open(&mut self, place: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        if let Some(plain) = self.core.secret_key.open(place, sealed) {
            return Ok(plain);
        }
        hold_secret_key(&mut self.tx, &self.core.secret_key).await?;
        Err(Error::internal(
            "something stored does not open under the secret key",
        ))
    }

    /// Writes the audit entry. Private to the two ways of ending a write.
    pub(crate) async fn record<T>(&mut self, change: Change<T>) -> Result<T> {
        match &change.entry {
            Some(entry) => audit::record(&mut self.tx, &self.actor, self.now, entry).await?,
            None => self.is_rehearsal = true,
        }
        Ok(change.value)
    }

    /// Whether nothing of it is to stay.
    pub(crate) fn is_rehearsal(&self) -> bool {
        self.is_rehearsal
    }

    /// Ends the write: audit entry and all, or nothing.
    pub async fn commit<T>(mut self, change: Change<T>) -> Result<T> {
        let value = self.record(change).await?;
        self.commit_recorded().await?;
        Ok(value)
    }

    pub(crate) async fn commit_recorded(self) -> Result<()> {
        if self.is_rehearsal {
            return self.rollback().await;
        }
        Ok(self.tx.commit().await?)
    }

    pub(crate) async fn rollback(self) -> Result<()> {
        Ok(self.tx.rollback().await?)
    }
}

impl Deref for Edit {
    type Target = db::Tx;

    fn deref(&self) -> &db::Tx {
        &self.tx
    }
}

impl DerefMut for Edit {
    fn deref_mut(&mut self) -> &mut db::Tx {
        &mut self.tx
    }
}

/// What a write is about to change, as it stands.
#[derive(Debug)]
pub struct Target<R>(R);

impl<R> Deref for Target<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.0
    }
}

/// How something ended that no transaction could take back.
pub enum Outcome<T> {
    Done(T),
    /// It failed, and surely nothing was done.
    NotDone(Error),
    /// It failed, and may have been done all the same.
    Unknown(Error),
}

impl<T> Outcome<T> {
    pub fn map<U>(self, answer: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Done(value) => Outcome::Done(answer(value)),
            Self::NotDone(error) => Outcome::NotDone(error),
            Self::Unknown(error) => Outcome::Unknown(error),
        }
    }

    /// For whoever does not do it again by themselves.
    pub fn into_result(self) -> Result<T> {
        match self {
            Self::Done(value) => Ok(value),
            Self::NotDone(error) | Self::Unknown(error) => Err(error),
        }
    }
}

/// The outcome of a write and its audit entry.
#[must_use = "a change takes effect when it is committed"]
#[derive(Debug)]
pub struct Change<T> {
    value: T,
    // Without one nothing is committed.
    entry: Option<audit::Entry>,
}

impl<T> Change<T> {
    fn new<R: Resource>(verb: &str, id: i64, before: Fields, after: Fields, value: T) -> Self {
        let entry = audit::Entry {
            action: format!("{}.{verb}", R::PLURAL),
            resource: R::PLURAL,
            resource_id: id,
            before,
            after,
        };
        Self {
            value,
            entry: Some(entry),
        }
    }

    /// What a write would come to, for somebody who only wants to know: whatever was done on the
    /// way is undone.
    pub fn rehearsed(value: T) -> Self {
        Self { value, entry: None }
    }

    /// A change of many resources at once, which no single id stands for.
    pub fn of_many<R: Resource>(
        verb: &str,
        before: &impl Serialize,
        after: &impl Serialize,
        value: T,
    ) -> Self {
        Self::new::<R>(verb, 0, fields(before), fields(after), value)
    }

    /// Something done with a resource that leaves it as it was. `what` is what the log shows.
    pub fn acted<R: Resource>(verb: &str, on: &Target<R>, what: &impl Serialize, value: T) -> Self {
        Self::new::<R>(verb, on.id(), Fields::new(), fields(what), value)
    }

    /// A change of something that hangs on a resource, told by what is different about it.
    pub fn of_part<R: Resource>(
        verb: &str,
        whole: &Target<R>,
        before: &impl Serialize,
        after: &impl Serialize,
        value: T,
    ) -> Self {
        let (old, new) = differences(fields(before), fields(after));
        Self::new::<R>(verb, whole.id(), old, new, value)
    }

    /// What came of it, for a larger change whose entry stands for this one as well.
    pub fn into_part(self) -> T {
        self.value
    }

    /// The same change, answered by something else.
    pub fn map<U>(self, answer: impl FnOnce(T) -> U) -> Change<U> {
        Change {
            value: answer(self.value),
            entry: self.entry,
        }
    }
}

impl<R: Resource> Change<R> {
    pub fn created(resource: R) -> Self {
        let mut after = fields(&resource);
        mask(&mut after, R::SECRETS);
        Self::new::<R>("create", resource.id(), Fields::new(), after, resource)
    }

    /// `verb` names the operation: `update`, `permissions`, `toggle`.
    pub fn updated(verb: &str, before: &Target<R>, after: R) -> Self {
        let (old, new) = differences(fields(&before.0), fields(&after));
        Self::new::<R>(verb, after.id(), old, new, after)
    }

    /// Notes that a secret was set anew, which shows in no field.
    pub fn with_new_secret(mut self, field: &str) -> Self {
        if let Some(entry) = &mut self.entry {
            mask(&mut entry.before, &[field]);
            mask(&mut entry.after, &[field]);
        }
        self
    }

    pub fn deleted(before: Target<R>) -> Self {
        let mut old = fields(&before.0);
        mask(&mut old, R::SECRETS);
        Self::new::<R>("delete", before.id(), old, Fields::new(), before.0)
    }
}

fn mask(fields: &mut Fields, secrets: &[&str]) {
    for secret in secrets {
        let masked = to_raw_value("***").expect("text serialises");
        fields.insert((*secret).to_owned(), masked);
    }
}

/// Both sides without what they have in common.
fn differences(mut old: Fields, mut new: Fields) -> (Fields, Fields) {
    old.retain(|name, value| {
        let same = new.get(name).is_some_and(|new| new.get() == value.get());
        if same {
            new.shift_remove(name);
        }
        !same
    });
    (old, new)
}

fn fields(state: &impl Serialize) -> Fields {
    let text = serde_json::to_string(state).expect("a state serialises");
    serde_json::from_str(&text).expect("a state serialises as an object")
}
