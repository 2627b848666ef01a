//! A user who signs in for the first time with a verified profile: without a password and without an
//! address.

use db::Conn;

use crate::users::store::{self, EMAIL, UNIQUE, USERNAME};
use crate::users::{ACTIVE, User, Username};
use kernel::Result;
use kernel::input::taken;
use kernel::secret::Secret;
use kernel::types::case_fold::fold;
use kernel::types::random;
use kernel::write::{Change, Edit};

/// Enough that no other user has the same placeholder.
const PLACEHOLDER_DIGITS: usize = 20;
/// How many digits are appended to a name that is taken, in each attempt. The last is not taken.
const SUFFIX_DIGITS: [usize; 5] = [2, 4, 6, 8, 18];
/// The longest username in characters.
const LONGEST_NAME: usize = 100;
const DOMAIN: &str = "no-email.invalid";

/// Creates a user with this name, or one like it if it is taken. Without a name, it is
/// `player-<id>`.
pub async fn register(edit: &mut Edit, username: Option<Username>) -> Result<Change<User>> {
    // Names and addresses have the id, which is known only after the insertion.
    let placeholder = format!("new-{}", random::digits(PLACEHOLDER_DIGITS));
    let now = edit.now();
    let mut user = User {
        id: 0,
        email: format!("{placeholder}@{DOMAIN}"),
        username: placeholder,
        status: ACTIVE.into(),
        block: None,
        roles: Vec::new(),
        part_changes: 0,
        // No password has this hash.
        password_hash: Secret::new(String::new()),
        created_at: now,
        updated_at: now,
    };
    user.id = store::insert(edit, &user).await.map_err(taken(UNIQUE))?;
    let wanted = match username {
        Some(username) => username.into_string(),
        None => format!("player-{}", user.id),
    };
    user.username = free_name(edit, wanted).await?;
    user.email = free_address(edit, user.id).await?;
    store::update(edit, &user).await.map_err(taken(UNIQUE))?;
    Ok(Change::created(user))
}

async fn free_name(conn: &mut Conn, wanted: String) -> Result<String> {
    let mut name = wanted.clone();
    for digits in SUFFIX_DIGITS {
        let taken = USERNAME.check(conn, 0, Some(fold(&name))).await?;
        if taken.is_empty() {
            break;
        }
        let kept: String = wanted.chars().take(LONGEST_NAME - 1 - digits).collect();
        name = format!("{kept}-{}", decimal_digits(digits));
    }
    Ok(name)
}

/// An address that no mail reaches. Another user may have typed the usual one.
async fn free_address(conn: &mut Conn, id: i64) -> Result<String> {
    let address = format!("user-{id}@{DOMAIN}");
    let taken = EMAIL.check(conn, 0, Some(fold(&address))).await?;
    Ok(match taken.is_empty() {
        true => address,
        false => format!("user-{id}-{}@{DOMAIN}", decimal_digits(18)),
    })
}

/// Random decimal digits, at most 18.
fn decimal_digits(count: usize) -> String {
    let number = u128::from_be_bytes(random::bytes());
    let digits = format!("{number:039}");
    // The first digits of a number of 128 bits are not equally likely.
    digits[digits.len() - count..].to_owned()
}
