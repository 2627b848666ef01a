//! The catalogue of social networks that users can link their profiles to.

pub mod http;
mod input;
mod store;

use db::Conn;
use serde::Serialize;

pub use self::input::{NewSocialNetwork, SocialNetworkChanges};
use self::store::NAME;
pub use self::store::{count, find_and_lock, list};
use kernel::input::{Faults, Partial, Patch, Word, taken};
use kernel::schema::JsonSchema;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};

const IN_USE: Error = Error::Conflict {
    code: ErrorCode::SocialNetworkInUse,
    message: "Users have linked profiles on this social network. Remove those links first.",
};

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SocialNetwork {
    pub id: i64,
    /// The name that programs use.
    pub name: String,
    /// The name that people read.
    pub title: String,
    /// The address of a profile, with `{handle}` for the handle; empty if there is none.
    pub url_template: String,
}

impl Resource for SocialNetwork {
    const PLURAL: &'static str = "social_networks";
    const SINGULAR: &'static str = "social network";

    fn id(&self) -> i64 {
        self.id
    }
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<SocialNetwork> {
    let network = store::find(conn, id).await?;
    network.ok_or(Error::NotFound(SocialNetwork::SINGULAR))
}

/// Finds the network by its id in digits, or by its name.
pub async fn named(conn: &mut Conn, name_or_id: &str) -> Result<Option<SocialNetwork>> {
    let is_id = name_or_id.bytes().all(|byte| byte.is_ascii_digit());
    Ok(match name_or_id.parse() {
        Ok(id) if is_id => store::find(conn, id).await?,
        _ => store::find_by_name(conn, name_or_id).await?,
    })
}

pub async fn exists(conn: &mut Conn, id: i64) -> Result<bool> {
    Ok(store::find(conn, id).await?.is_some())
}

/// The network to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<SocialNetwork>> {
    store::lock(edit, id).await?;
    let network = store::find(edit, id).await?;
    edit.target(network)
}

pub async fn create(edit: &mut Edit, new: NewSocialNetwork) -> Result<Change<SocialNetwork>> {
    let NewSocialNetwork {
        name,
        title,
        url_template,
    } = new;
    let mut network = SocialNetwork {
        id: 0,
        name: name.into_string(),
        title: title.into_string(),
        url_template: url_template.unwrap_or_default().into_string(),
    };
    network.id = store::insert(edit, &network)
        .await
        .map_err(taken(&[NAME]))?;
    Ok(Change::created(network))
}

pub async fn update(
    edit: &mut Edit,
    before: Target<SocialNetwork>,
    changes: SocialNetworkChanges,
) -> Result<Change<SocialNetwork>> {
    let SocialNetworkChanges {
        name,
        title,
        url_template,
    } = changes;
    let network = SocialNetwork {
        id: before.id,
        name: name.or(&before.name).into_string(),
        title: title.or(&before.title).into_string(),
        url_template: url_template.or(&before.url_template).into_string(),
    };
    store::update(edit, &network)
        .await
        .map_err(taken(&[NAME]))?;
    Ok(Change::updated("update", &before, network))
}

pub async fn delete(
    edit: &mut Edit,
    network: Target<SocialNetwork>,
) -> Result<Change<SocialNetwork>> {
    store::delete(edit, network.id)
        .await
        .map_err(|error| match error {
            db::Error::ForeignKey(_) => IN_USE,
            other => other.into(),
        })?;
    Ok(Change::deleted(network))
}

/// Checks a network to create against the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewSocialNetwork>) -> Result<Faults> {
    let name = new.name.map(Word::into_string);
    NAME.check(conn, 0, name).await
}

/// Checks changes to a network against the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<SocialNetworkChanges>,
) -> Result<Faults> {
    let name = changes.name.and_then(Patch::given);
    let name = name.map(Word::into_string);
    NAME.check(conn, id, name).await
}
