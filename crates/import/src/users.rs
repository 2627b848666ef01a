//! Users, with names and addresses made unique.

use accounts::passwords;
use accounts::users::{self, ACTIVE, Email, Member, User, Username};
use futures_util::future::LocalBoxFuture;
use kernel::Result;
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::write::Edit;

use crate::context::Options;
use crate::pass::Stage;
use crate::record::{Kept, Moment, Record};
use crate::report::Output;
use crate::tables::USERS;
use crate::text::{name, valid};
use crate::unique::{Addresses, Names};

pub const INACTIVE: &str = "inactive";
const PENDING: &str = "pending";
const MOST_NAME: usize = 100;

/// A user that is valid but for the uniqueness of their name and address.
pub struct Account {
    pub kept: Kept,
    pub username: String,
    /// `None` stands for the address that everyone without one has.
    pub email: Option<String>,
    pub changes: Vec<String>,
    status: &'static str,
    password_hash: Secret<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

pub struct Users {
    now: Timestamp,
    unverified_are_pending: bool,
    batch: Vec<Account>,
}

impl Users {
    pub fn new(now: Timestamp, options: &Options) -> Self {
        Self {
            now,
            unverified_are_pending: options.unverified_are_pending,
            batch: Vec::new(),
        }
    }

    fn account(&self, kept: Kept, record: Record<'_>) -> Result<Account> {
        let mut changes = Vec::new();
        let created_at = record
            .moment("created_at")?
            .or("created_at", self.now, &mut changes);
        let updated_at = match record.moment("updated_at")? {
            Moment::Null => created_at,
            other => other.or("updated_at", created_at, &mut changes),
        };
        let is_deleted = record.moment("deleted_at")?;
        let is_deleted = is_deleted.or_none("deleted_at", &mut changes).is_some();
        let status = match (is_deleted, record.is_set("verified")?) {
            (true, _) => INACTIVE,
            (false, false) if self.unverified_are_pending => PENDING,
            _ => ACTIVE,
        };
        let stored = record.string("password")?;
        let is_usable = passwords::is_usable(stored);
        if !is_usable && !stored.is_empty() {
            changes.push("the password is of no usable kind, so there is none".to_owned());
        }
        Ok(Account {
            username: username(kept.id, record, &mut changes)?,
            email: email(record.string("email")?, &mut changes),
            changes,
            status,
            password_hash: Secret::new(match is_usable {
                true => stored.to_owned(),
                false => String::new(),
            }),
            created_at,
            updated_at,
            kept,
        })
    }

    async fn write_batch(&mut self, edit: &mut Edit, output: &mut Output<'_>) -> Result<()> {
        let mut accounts = std::mem::take(&mut self.batch);
        Names::settle(edit, &mut accounts, output).await?;
        Addresses::settle(edit, &mut accounts, output).await?;
        let members: Vec<Member> = accounts.iter_mut().map(member).collect();
        users::load(edit, &members).await?;
        for account in &accounts {
            output.write(USERS, account.kept.id, &account.changes)?;
        }
        Ok(())
    }
}

impl Stage for Users {
    fn table(&self) -> &'static str {
        USERS
    }

    fn take(&mut self, record: Record<'_>, output: &mut Output<'_>) -> Result<usize> {
        let kept = record.keep()?;
        if kept.id < 1 {
            output.leave_out(USERS, &kept, "the id is not positive")?;
        } else if record.is_set("is_temporary")? {
            output.leave_out(USERS, &kept, "the user is temporary")?;
        } else {
            let account = self.account(kept, record)?;
            self.batch.push(account);
        }
        Ok(record.size())
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit, output))
    }
}

fn member(account: &mut Account) -> Member {
    let id = account.kept.id;
    let email = account.email.take();
    let user = User {
        id,
        username: std::mem::take(&mut account.username),
        email: email.unwrap_or_else(|| placeholder(id)),
        status: account.status.to_owned(),
        block: None,
        roles: Vec::new(),
        part_changes: 0,
        password_hash: account.password_hash.clone(),
        created_at: account.created_at,
        updated_at: account.updated_at,
    };
    Member {
        user,
        roles: Vec::new(),
        blocks: Vec::new(),
        social_networks: Vec::new(),
        devices: Vec::new(),
    }
}

/// The address of a user without one. No mail reaches it.
pub fn placeholder(id: i64) -> String {
    format!("user-{id}{NO_EMAIL}")
}

const NO_EMAIL: &str = "@no-email.invalid";

fn email(text: &str, changes: &mut Vec<String>) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    // Another user may have the address of this form.
    let is_placeholder = text.to_lowercase().ends_with(NO_EMAIL);
    let email = valid::<Email>(text).filter(|_| !is_placeholder);
    if email.is_none() {
        changes.push("the email address is not valid, so there is none".to_owned());
    }
    email.map(Email::into_string)
}

/// The login or, without one, the name.
fn username(id: i64, record: Record<'_>, changes: &mut Vec<String>) -> Result<String> {
    let (mut text, mut what) = (record.string("login")?, "the login");
    if text.is_empty() {
        (text, what) = (record.string("name")?, "the name");
    }
    let name = name(text, MOST_NAME, what, changes);
    Ok(match valid::<Username>(&name) {
        Some(username) => username.into_string(),
        None => {
            let username = format!("user-{id}");
            changes.push(format!("{what} is empty, so the username is {username}"));
            username
        }
    })
}
