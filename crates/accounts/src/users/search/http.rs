use axum::extract::State;

use super::Search;
use crate::users;
use crate::users::included::http::UserList;
use kernel::Result;
use kernel::auth::permission::UsersRead;
use kernel::http::Caller;
use kernel::http::paging::ListRequest;
use kernel::http::reply::List;
use kernel::http::routing::{ApiRouter, get_with, named};

async fn search(
    State(state): State<users::State>,
    caller: Caller<UsersRead>,
    request: ListRequest<Search>,
) -> Result<List<UserList>> {
    let now = caller.now();
    let mut read = caller.read_alone().await?;
    let (q, window) = (&request.filters.q, request.window());
    // Boxed, because the future is large and would be copied with the handler's.
    let searching = Box::pin(super::search(&mut read, now, q, window, &state.searches));
    let (mut found, total) = searching.await?;
    let headers = request.headers(total, &mut found, |user| user.id);
    let users = UserList::read(&mut read, now, request.filters.include, found).await?;
    List::new(headers, &users)
}

pub fn routes() -> ApiRouter<users::State> {
    ApiRouter::new().api_route(
        "/api/users/search",
        get_with(
            search,
            named("searchUsers", "Find users by name or address"),
        ),
    )
}
