//! `steward operator`: manages the people who may use the console.

use accounts::console::{self, SETUP_HOURS, two_factor};
use accounts::operators::{self, Operator, OperatorChanges};
use accounts::users::sign_in;
use clap::{Args, Subcommand};
use kernel::auth::permission::PermissionSet;
use kernel::input::Patch;
use kernel::list::Window;
use kernel::write::Edit;
use serde_json::{Value, json};
use server::app::App;

use super::key::parse_permissions;
use super::list_format::{ListFormat, print_json};
use crate::error::Result;
use crate::options::Options;
use crate::output::{print_line, print_remark};
use crate::startup;

#[derive(Subcommand)]
pub enum OperatorCommand {
    /// Let a user use the console, or replace the permissions of an operator.
    Add(NewOperator),
    /// List the operators.
    List(ListFormat),
    /// Remove a user's access to the console. The user stays.
    Remove {
        /// The user's name or email address.
        login: String,
    },
    /// Print a link that creates the first operator. Links printed before become invalid.
    Invite,
    /// Remove the second factor of an operator who lost it.
    ResetTwoFactor {
        /// The operator's name or email address.
        login: String,
    },
}

#[derive(Args)]
pub struct NewOperator {
    /// The user's name or email address.
    login: String,
    /// Grant this permission, such as admin.users.read. May be repeated.
    #[arg(long = "permission", value_name = "NAME", conflicts_with = "all")]
    permissions: Vec<String>,
    /// Grant every permission, including those added by later versions.
    #[arg(long)]
    all: bool,
}

pub async fn run(command: OperatorCommand, options: &Options) -> Result {
    match command {
        OperatorCommand::Add(new) => add(new, options).await,
        OperatorCommand::List(format) => list(&format, options).await,
        OperatorCommand::Remove { login } => remove(&login, options).await,
        OperatorCommand::Invite => invite(options).await,
        OperatorCommand::ResetTwoFactor { login } => reset_two_factor(&login, options).await,
    }
}

/// The user with this name or email address.
pub async fn user_id(app: &App, login: &str) -> Result<i64> {
    let mut read = app.kernel.core.db.read().await?;
    let known = sign_in::credentials(&mut read, login).await?;
    let known = known.ok_or_else(|| format!("there is no user {}", login.escape_debug()))?;
    Ok(known.user_id)
}

async fn add(new: NewOperator, options: &Options) -> Result {
    let permissions: PermissionSet = parse_permissions(&new.permissions)?;
    let app = startup::start_existing(options).await?;
    let user_id = user_id(&app, &new.login).await?;
    let mut edit = Edit::command_line(&app.kernel.core).await?;
    let change = if new.all {
        operators::put_with_all(&mut edit, user_id).await?
    } else {
        let changes = || {
            Ok(OperatorChanges {
                permission_ids: Patch::Set(permissions),
                active: Patch::Set(true),
            })
        };
        operators::put(&mut edit, user_id, changes).await?
    };
    edit.commit(change).await?;
    print_line!("User {user_id} is an operator.")?;
    Ok(())
}

async fn list(format: &ListFormat, options: &Options) -> Result {
    let app = startup::start_existing(options).await?;
    let mut read = app.kernel.core.db.read_alone().await?;
    let operators = operators::list(&mut read, Window::ALL).await?;
    if format.json {
        return print_json("operators", operators.iter().map(to_json));
    }
    print_operators(&operators)
}

/// Prints a table of operators.
pub fn print_operators(operators: &[Operator]) -> Result {
    print_line!(
        "{:>6}  {:8}  {:10}  {:20}  name",
        "user",
        "active",
        "two-factor",
        "last sign-in"
    )?;
    let shown = |yes| if yes { "yes" } else { "no" };
    for operator in operators {
        let last = operator.last_sign_in_at.map(|at| at.to_string());
        print_line!(
            "{:>6}  {:8}  {:10}  {:20}  {}",
            operator.user_id,
            shown(operator.active),
            shown(operator.two_factor),
            last.unwrap_or_else(|| "never".to_owned()),
            // A name may contain characters that a terminal would interpret.
            operator.username.escape_debug()
        )?;
    }
    Ok(())
}

/// Uses the field names of the API.
fn to_json(operator: &Operator) -> Value {
    json!({
        "user_id": operator.user_id,
        "username": operator.username,
        "email": operator.email,
        "permissions": operator.permissions.list(),
        "active": operator.active,
        "two_factor": operator.two_factor,
        "last_sign_in_at": operator.last_sign_in_at,
        "created_at": operator.created_at,
    })
}

async fn remove(login: &str, options: &Options) -> Result {
    let app = startup::start_existing(options).await?;
    let user_id = user_id(&app, login).await?;
    let mut edit = Edit::command_line(&app.kernel.core).await?;
    let operator = operators::target(&mut edit, user_id).await?;
    let change = operators::delete(&mut edit, operator).await?;
    edit.commit(change).await?;
    print_line!("User {user_id} is no longer an operator.")?;
    Ok(())
}

async fn invite(options: &Options) -> Result {
    if !options.console() {
        return Err("the console is off, so the link would lead nowhere; set --console on".into());
    }
    let app = startup::start(options).await?;
    let token = console::invite(&app.kernel.core).await?;
    let token = token.ok_or("there is an operator already, who can add others")?;
    print_remark!("Open this link within {SETUP_HOURS} hours to create the first operator:");
    print_line!("{}", console::setup_link(&options.origin(), &token))?;
    Ok(())
}

async fn reset_two_factor(login: &str, options: &Options) -> Result {
    let app = startup::start_existing(options).await?;
    let user_id = user_id(&app, login).await?;
    let mut edit = Edit::command_line(&app.kernel.core).await?;
    let operator = operators::target(&mut edit, user_id).await?;
    let change = two_factor::reset(&mut edit, operator).await?;
    edit.commit(change).await?;
    print_line!("Two-factor authentication removed for user {user_id}.")?;
    Ok(())
}
