//! `steward user`: lists and creates users, and replaces lost passwords.

use std::io::BufRead;

use accounts::users::{self, Listed, NewUser, UserChanges, UserFilters};
use clap::{Args, Subcommand};
use kernel::input::{Fields, Input, Patch, Raw};
use kernel::list::{ListQuery, read_after};
use kernel::types::random;
use kernel::write::Edit;
use serde_json::{Value, json};

use super::list_format::{ListFormat, StreamedList};
use super::operator::user_id;
use crate::error::Result;
use crate::options::Options;
use crate::output::{print_line, print_remark};
use crate::startup;

/// The number of users read at once.
const PART: i64 = 1000;
/// About 119 bits of randomness.
const GENERATED_DIGITS: usize = 20;

#[derive(Subcommand)]
pub enum UserCommand {
    /// List the users.
    List(ListFormat),
    /// Create a user without roles. A generated password is printed and shown only once.
    Create(NewUserFlags),
    /// Replace a user's password and end the user's sessions.
    ///
    /// A generated password is printed and shown only once.
    ResetPassword {
        /// The user's name or email address.
        login: String,
        #[command(flatten)]
        source: PasswordSource,
    },
}

#[derive(Args)]
pub struct NewUserFlags {
    /// Name the user.
    #[arg(long, value_name = "NAME")]
    username: String,
    /// The user's email address.
    #[arg(long, value_name = "ADDRESS")]
    email: String,
    #[command(flatten)]
    source: PasswordSource,
}

#[derive(Args)]
pub struct PasswordSource {
    /// Read the password from the first line of standard input instead of generating one.
    #[arg(long)]
    password_stdin: bool,
}

impl PasswordSource {
    fn password(&self) -> Result<String> {
        if !self.password_stdin {
            return Ok(random::digits(GENERATED_DIGITS));
        }
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        read.map_err(|error| format!("standard input cannot be read: {error}"))?;
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }

    /// Prints a generated password; any other is known to the caller.
    fn show(&self, done: &str, password: &str) -> Result {
        if self.password_stdin {
            return Ok(print_line!("{done}")?);
        }
        print_remark!("{done} The password is shown only this once:");
        Ok(print_line!("{password}")?)
    }
}

pub async fn run(command: UserCommand, options: &Options) -> Result {
    match command {
        UserCommand::List(format) => list(&format, options).await,
        UserCommand::Create(new) => create(&new, options).await,
        UserCommand::ResetPassword { login, source } => {
            reset_password(&login, &source, options).await
        }
    }
}

/// Reads and prints users in parts, because there may be millions.
async fn list(format: &ListFormat, options: &Options) -> Result {
    let app = startup::start_existing(options).await?;
    let now = app.kernel.core.expiry_now();
    let filters = UserFilters {
        status: None,
        role_id: None,
    };
    let users = users::list(now, &filters, UserFilters::LIST.default_order);
    let mut read = app.kernel.core.db.read_alone().await?;
    let mut list = StreamedList::begin(format, "users")?;
    list.print_head(format_args!(
        "{:>6}  {:10}  {:20}  {:30}  name",
        "id", "status", "created", "email"
    ))?;
    let mut after = None;
    loop {
        let (part, next): (Vec<Listed>, _) = read_after(&mut read, &users, after, PART).await?;
        for user in &part {
            list.print_item(to_json(user), || {
                format!(
                    "{:>6}  {:10}  {:20}  {:30}  {}",
                    user.id,
                    user.status,
                    user.created_at.to_string(),
                    // Both may contain control characters, which a terminal would interpret.
                    user.email.escape_debug().to_string(),
                    user.username.escape_debug()
                )
            })?;
        }
        if next.is_none() {
            return list.end();
        }
        after = next;
    }
}

/// Uses the field names of the API.
fn to_json(user: &Listed) -> Value {
    json!({
        "id": user.id,
        "username": user.username,
        "email": user.email,
        "created_at": user.created_at,
        "status": user.status,
    })
}

async fn create(new: &NewUserFlags, options: &Options) -> Result {
    let password = new.source.password()?;
    let fields = [
        ("username", &new.username),
        ("email", &new.email),
        ("password", &password),
    ];
    let fields: Fields<'_> = fields
        .into_iter()
        .map(|(name, text)| (name.to_owned(), Raw::Query(text)))
        .collect();
    let user = NewUser::read(&fields, false).map_err(kernel::Error::from)?;
    let app = startup::start_existing(options).await?;
    let hash = app.users.passwords.hash(&user.password).await?;
    let mut edit = Edit::command_line(&app.kernel.core).await?;
    let change = users::create(&mut edit, user, hash).await?;
    let user = edit.commit(change).await?;
    new.source
        .show(&format!("Created user {}.", user.id), &password)
}

async fn reset_password(login: &str, source: &PasswordSource, options: &Options) -> Result {
    let password = source.password()?;
    let fields: Fields<'_> = [("password".to_owned(), Raw::Query(&password))]
        .into_iter()
        .collect();
    let changes = UserChanges::read(&fields, false).map_err(kernel::Error::from)?;
    let app = startup::start_existing(options).await?;
    let id = user_id(&app, login).await?;
    let hash = match &changes.password {
        Patch::Set(password) => Some(app.users.passwords.hash(password).await?),
        Patch::Keep => None,
    };
    let mut edit = Edit::command_line(&app.kernel.core).await?;
    let user = users::access_target(&mut edit, id).await?;
    let change = users::update(&mut edit, user, changes, hash).await?;
    edit.commit(change).await?;
    source.show(&format!("Replaced the password of user {id}."), &password)
}
