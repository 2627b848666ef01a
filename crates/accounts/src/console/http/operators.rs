//! Operations on the sessions and the second factor of another operator.

use super::ConsoleSessionList;
use crate::console::two_factor;
use crate::operators;
use crate::{console, sessions};
use kernel::Result;
use kernel::auth::permission::{ApiKeys, ApiKeysRead, Confirmed};
use kernel::http::paging::ListRequest;
use kernel::http::path::{SessionId, UserId};
use kernel::http::reply::{Done, List, Message};
use kernel::http::routing::{ApiRouter, delete_with, get_with, named, post_with};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;

async fn list(
    id: UserId,
    caller: Caller<ApiKeysRead>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<ConsoleSessionList>> {
    let mut read = caller.read_alone().await?;
    let operator = operators::get_covered(&mut read, caller.actor(), id.0).await?;
    let owner = console::Owner::Operator(operator.user_id);
    ConsoleSessionList::read(&mut read, owner, &caller, request).await
}

async fn end_all(id: UserId, writer: Writer<ApiKeys>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let operator = operators::target(edit, id.0).await?;
        let ended = operators::end_sessions(edit, operator).await?;
        Ok(ended.map(|_| Message::new("All sessions ended.")))
    });
    run.await
}

async fn end(id: UserId, session: SessionId, writer: Writer<ApiKeys>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let operator = operators::target(edit, id.0).await?;
        let session = console::session_of(edit, &operator, session.0).await?;
        let ended = console::end(edit, session).await?;
        Ok(ended.map(|_| Message::new("Session ended.")))
    });
    run.await
}

async fn reset_two_factor(id: UserId, writer: Writer<Confirmed<ApiKeys>>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let operator = operators::target(edit, id.0).await?;
        let reset = two_factor::reset(edit, operator).await?;
        Ok(reset.map(|_| Message::new("Two-factor authentication removed.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<sessions::State> {
    ApiRouter::new()
        .api_route(
            "/api/operators/{userId}/sessions",
            get_with(
                list,
                named("listOperatorSessions", "List the sessions of an operator"),
            )
            .delete_with(
                end_all,
                named("endOperatorSessions", "End all sessions of an operator"),
            ),
        )
        .api_route(
            "/api/operators/{userId}/sessions/{sessionId}",
            delete_with(
                end,
                named("endOperatorSession", "End a session of an operator"),
            ),
        )
        .api_route(
            "/api/operators/{userId}/reset-two-factor",
            post_with(
                reset_two_factor,
                named(
                    "resetOperatorTwoFactor",
                    "Remove the second factor of an operator who lost it",
                ),
            ),
        )
        .with_path_items(|item| item.tag("Operators"))
}
