//! The way back in for whoever has lost every key.

use kernel::auth::Restrictions;
use kernel::auth::permission::{self, PermissionSet};
use kernel::input::{Fields, Input, Raw};
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::write::Edit;
use server::api_keys;

use crate::options::{NewKey, Options};
use crate::{Outcome, serve};

/// In seconds.
const DAY: i64 = 24 * 60 * 60;

pub async fn create(options: &Options, new: NewKey) -> Outcome {
    let fields: Fields<'_> = [("name".to_owned(), Raw::Query(&new.name))]
        .into_iter()
        .collect();
    let name = api_keys::NewApiKey::read(&fields, false)
        .map_err(|_| "a key's name has 1 to 100 characters and is not blank")?
        .name;
    let permissions = if new.all {
        PermissionSet::all()
    } else {
        named(&new.permissions)?
    };
    let app = serve::start(options).await?;
    let mut edit = Edit::command_line(&app).await?;
    let after = |days| Timestamp::from_unix(edit.now().unix() + i64::from(days) * DAY);
    let restrictions = Restrictions {
        expires_at: new.expires_in_days.map(after),
        ..Restrictions::default()
    };
    let issued = api_keys::issue(&mut edit, name, true, permissions, restrictions, new.all);
    let change = issued.await?;
    let issued = edit.commit(change).await?;
    eprintln!(
        "Key {} made. Its value is shown only this once:",
        issued.key.id
    );
    println!("{}", issued.value.reveal());
    Ok(())
}

fn named(names: &[String]) -> Result<PermissionSet, String> {
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

pub async fn list(options: &Options) -> Outcome {
    let app = serve::start_existing(options).await?;
    let mut read = app.db.read().await?;
    let keys = api_keys::list(&mut read, Window::ALL).await?;
    println!(
        "{:>6}  {:16}  {:8}  {:20}  {:20}  {:20}  name",
        "id", "key", "active", "created", "expires", "last used"
    );
    let never = || "never".to_owned();
    for key in keys {
        let active = if key.active { "yes" } else { "no" };
        let expires = key.restrictions.expires_at.map(|end| end.to_string());
        let last_used = key.last_use.map(|last| last.at.to_string());
        println!(
            "{:>6}  {:16}  {active:8}  {:20}  {:20}  {:20}  {}",
            key.id,
            key.masked(),
            key.created_at.to_string(),
            expires.unwrap_or_else(never),
            last_used.unwrap_or_else(never),
            // A name may hold anything, and a terminal obeys control characters.
            key.name.escape_debug()
        );
    }
    Ok(())
}

pub async fn revoke(options: &Options, id: i64) -> Outcome {
    let app = serve::start_existing(options).await?;
    let mut edit = Edit::command_line(&app).await?;
    let key = api_keys::target(&mut edit, id).await?;
    let change = api_keys::delete(&mut edit, key).await?;
    edit.commit(change).await?;
    println!("Key {id} revoked.");
    Ok(())
}
