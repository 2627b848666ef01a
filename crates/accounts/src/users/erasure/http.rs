use axum::extract::State;

use crate::users::{self, erasure};
use kernel::Result;
use kernel::auth::permission::Users;
use kernel::http::Writer;
use kernel::http::path::Id;
use kernel::http::reply::{Done, Message};
use kernel::http::routing::{ApiRouter, named_failing, post_with};

async fn erase(
    State(state): State<users::State>,
    id: Id,
    writer: Writer<Users>,
) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let user = users::access_target(edit, id.0).await?;
        let erased = erasure::erase(edit, user).await?;
        Ok(erased.map(|()| Message::new("User erased; their sessions have ended.")))
    });
    let reply = run.await?;
    erasure::mask_soon(&state.events).await;
    Ok(reply)
}

pub fn routes() -> ApiRouter<users::State> {
    ApiRouter::new().api_route(
        "/api/users/{id}/erase",
        post_with(
            erase,
            named_failing(
                "eraseUser",
                "Erase who a user is, keeping their invoices",
                409,
                "The user was erased before, or is an operator.",
            ),
        ),
    )
}
