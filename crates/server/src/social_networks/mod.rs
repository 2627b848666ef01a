//! The catalogue of social networks that users can link their profiles to.

pub mod http;
mod input;
mod store;

use db::Conn;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::input::{NewSocialNetwork, SocialNetworkChanges};
use kernel::input::{Faults, Partial, Patch, TAKEN, Word};
use kernel::list::Window;
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
    /// The address of a profile, with `{handle}` for the handle; empty if there is no such rule.
    pub url_template: String,
}

impl Resource for SocialNetwork {
    const PLURAL: &'static str = "social_networks";
    const SINGULAR: &'static str = "social network";

    fn id(&self) -> i64 {
        self.id
    }
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<SocialNetwork>> {
    Ok(store::list(conn, window).await?)
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    Ok(store::count(conn).await?)
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<SocialNetwork> {
    let network = store::find(conn, id).await?;
    network.ok_or(Error::NotFound(SocialNetwork::SINGULAR))
}

/// The network that a client names: by its id in digits, or by its name.
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

/// The network, locked against changes until the end of the transaction.
pub async fn find_and_lock(edit: &mut Edit, id: i64) -> Result<Option<SocialNetwork>> {
    Ok(store::find_and_lock(edit, id).await?)
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
    network.id = store::insert(edit, &network).await.map_err(name_taken)?;
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
    store::update(edit, &network).await.map_err(name_taken)?;
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

fn name_taken(error: db::Error) -> Error {
    match error {
        db::Error::Unique(name) if name == "social_networks_name_key" => {
            Faults::one("name", TAKEN).into()
        }
        other => other.into(),
    }
}

/// The faults of a network to create that need the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewSocialNetwork>) -> Result<Faults> {
    check_name(conn, 0, new.name).await
}

/// The faults of changes to a network that need the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<SocialNetworkChanges>,
) -> Result<Faults> {
    check_name(conn, id, changes.name.and_then(Patch::given)).await
}

async fn check_name(conn: &mut Conn, id: i64, name: Option<Word<50>>) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(name) = name {
        let holder = store::find_by_name(conn, name.as_str()).await?;
        if holder.is_some_and(|holder| holder.id != id) {
            faults.at("name").add(TAKEN);
        }
    }
    Ok(faults)
}
