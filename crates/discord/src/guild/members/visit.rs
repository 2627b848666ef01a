//! Visits one person: asks which roles they have, and changes those that differ.

use std::time::Duration;

use tokio::time::Instant;

use super::{Difference, Wanted};
use crate::guild::api::{Bot, Failure, code};
use crate::guild::resource::{Mapping, Problem, Snowflake};

/// How long a visit begins requests. The last one ends before the lease does.
const TIME_LIMIT: Duration = Duration::from_secs(40);

/// How a visit went.
#[derive(Debug)]
pub enum Outcome {
    /// They have the roles that they should have.
    Done,
    NotAMember,
    /// Discord refuses the bot altogether.
    Refused(Problem),
    /// To be repeated at once, after a pause that Discord asked for, in milliseconds.
    Limited(i64),
    /// To be continued: it took so long that the lease is nearly over.
    Unfinished,
    /// To be repeated later. A sentence.
    Failed(String),
}

/// Visits one person. Adds roles that Discord does not let the bot give to `refused`: that concerns a
/// pair of roles, and not the person.
pub async fn visit(
    bot: &Bot<'_>,
    id: Snowflake,
    wanted: &Wanted,
    pairs: &[Mapping],
    refused: &mut Vec<(Snowflake, Problem)>,
) -> Outcome {
    let end = Instant::now() + TIME_LIMIT;
    let has = match bot.member(id.0).await {
        Ok(member) => member.roles,
        Err(failure) => return ended(failure),
    };
    let Difference { add, remove } = Difference::of(wanted, &has, pairs);
    let adding = add.into_iter().map(|role| (role, true));
    // Removing comes first: it takes rights away.
    let changes = remove.into_iter().map(|role| (role, false)).chain(adding);
    for (role, is_added) in changes {
        if Instant::now() > end {
            return Outcome::Unfinished;
        }
        let changed = match is_added {
            true => bot.add_role(id.0, role.0).await,
            false => bot.remove_role(id.0, role.0).await,
        };
        match changed {
            Ok(()) => {}
            Err(Failure::Forbidden(code::MISSING_PERMISSIONS)) => {
                refused.push((role, Problem::RoleAboveBot));
            }
            Err(Failure::NotFound(code::UNKNOWN_ROLE)) => {
                refused.push((role, Problem::RoleMissing));
            }
            Err(failure) => return ended(failure),
        }
    }
    Outcome::Done
}

fn ended(failure: Failure) -> Outcome {
    match failure {
        Failure::TokenRefused => Outcome::Refused(Problem::TokenRefused),
        Failure::Forbidden(_) => Outcome::Refused(Problem::AccessRefused),
        Failure::NotFound(code::UNKNOWN_GUILD) => Outcome::Refused(Problem::NotInGuild),
        Failure::NotFound(_) => Outcome::NotAMember,
        Failure::Limited(pause) => {
            Outcome::Limited(i64::try_from(pause.as_millis()).unwrap_or(i64::MAX))
        }
        Failure::Unavailable(sentence) => Outcome::Failed(sentence),
    }
}
