//! `steward key`: manages API keys, even for an operator who has lost every key.

use clap::{Args, Subcommand};
use kernel::auth::Restrictions;
use kernel::auth::permission::{self, PermissionSet};
use kernel::input::{Fields, Input, Raw};
use kernel::types::Timestamp;
use kernel::write::Edit;
use platform::api_keys::{self, ApiKey};
use serde_json::{Value, json};

use super::list_format::{ListFormat, print_json};
use crate::error::Result;
use crate::options::Options;
use crate::output::{print_line, print_remark};
use crate::startup;
use crate::whole_number::whole_number;

/// In seconds.
const DAY: i64 = 24 * 60 * 60;

#[derive(Subcommand)]
pub enum KeyCommand {
    /// Create a key and print its value, which is shown only once.
    Create(NewKey),
    /// List the keys.
    List(ListFormat),
    /// Delete a key. It is refused from the next request on.
    Revoke {
        /// The key's id, as shown by `key list`.
        id: i64,
    },
}

#[derive(Args)]
pub struct NewKey {
    /// Name the key.
    #[arg(long)]
    name: String,
    /// Grant this permission, such as admin.users.read. May be repeated.
    #[arg(long = "permission", value_name = "NAME", conflicts_with = "all")]
    permissions: Vec<String>,
    /// Grant every permission, including those added by later versions.
    #[arg(long)]
    all: bool,
    /// Let the key expire after this many days. The default is never.
    #[arg(long, value_name = "DAYS", value_parser = whole_number::<u32, _>(1..=36_500))]
    expires_in_days: Option<u32>,
}

pub async fn run(command: KeyCommand, options: &Options) -> Result {
    match command {
        KeyCommand::Create(new) => create(new, options).await,
        KeyCommand::List(format) => list(&format, options).await,
        KeyCommand::Revoke { id } => revoke(id, options).await,
    }
}

async fn create(new: NewKey, options: &Options) -> Result {
    let fields: Fields<'_> = [("name".to_owned(), Raw::Query(&new.name))]
        .into_iter()
        .collect();
    let name = api_keys::NewApiKey::read(&fields, false)
        .map_err(
            |_| "a key's name has 1 to 100 characters, is not blank and has no control characters",
        )?
        .name;
    let permissions = if new.all {
        PermissionSet::all()
    } else {
        parse_permissions(&new.permissions)?
    };
    let app = startup::start(options).await?;
    let mut edit = Edit::command_line(&app.kernel.core).await?;
    let after = |days| Timestamp::from_unix(edit.now().unix() + i64::from(days) * DAY);
    let restrictions = Restrictions {
        expires_at: new.expires_in_days.map(after),
        ..Restrictions::default()
    };
    let issued = api_keys::issue(&mut edit, name, true, permissions, restrictions, new.all);
    let change = issued.await?;
    let issued = edit.commit(change).await?;
    print_remark!(
        "Created key {}. Its value is shown only this once:",
        issued.key.id
    );
    print_line!("{}", issued.value.reveal())?;
    Ok(())
}

pub fn parse_permissions(names: &[String]) -> std::result::Result<PermissionSet, String> {
    let mut permissions = PermissionSet::default();
    for name in names {
        let Some(permission) = permission::by_name(name) else {
            let known: Vec<&str> = permission::CATALOGUE
                .iter()
                .map(|known| known.name)
                .collect();
            return Err(format!(
                "there is no permission {name}; there are {}",
                known.join(", ")
            ));
        };
        permissions.insert(permission.id);
    }
    Ok(permissions)
}

async fn list(format: &ListFormat, options: &Options) -> Result {
    let app = startup::start_existing(options).await?;
    let mut read = app.kernel.core.db.read_alone().await?;
    let keys = api_keys::list_with_permissions(&mut read).await?;
    if format.json {
        return print_json("api_keys", keys.iter().map(to_json));
    }
    print_keys(&keys)
}

/// Prints a table of keys.
pub fn print_keys(keys: &[ApiKey]) -> Result {
    print_line!(
        "{:>6}  {:16}  {:8}  {:20}  {:20}  {:20}  name",
        "id",
        "key",
        "active",
        "created",
        "expires",
        "last used"
    )?;
    let never = || "never".to_owned();
    for key in keys {
        let active = if key.active { "yes" } else { "no" };
        let expires = key.restrictions.expires_at.map(|end| end.to_string());
        let last_used = key.last_use.map(|last| last.at.to_string());
        print_line!(
            "{:>6}  {:16}  {active:8}  {:20}  {:20}  {:20}  {}",
            key.id,
            key.masked(),
            key.created_at.to_string(),
            expires.unwrap_or_else(never),
            last_used.unwrap_or_else(never),
            // A name may contain control characters, which a terminal would interpret.
            key.name.escape_debug()
        )?;
    }
    Ok(())
}

/// Uses the field names of the API.
fn to_json(key: &ApiKey) -> Value {
    json!({
        "id": key.id,
        "name": key.name,
        "key": key.masked(),
        "active": key.active,
        "created_at": key.created_at,
        "expires_at": key.restrictions.expires_at,
        "last_used_at": key.last_use.map(|last| last.at),
        "permissions": key.permissions.list(),
    })
}

async fn revoke(id: i64, options: &Options) -> Result {
    let app = startup::start_existing(options).await?;
    let mut edit = Edit::command_line(&app.kernel.core).await?;
    let key = api_keys::target(&mut edit, id).await?;
    let change = api_keys::delete(&mut edit, key).await?;
    edit.commit(change).await?;
    print_line!("Key {id} revoked.")?;
    Ok(())
}
