use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use db::Conn;

use super::included::UserList;
use crate::app::App;
use crate::users::body::UserItem;
use crate::users::input::Include;
use crate::users::{self, Listed, UserFilters, UserKey};
use kernel::auth::permission::UsersRead;
use kernel::http::Caller;
use kernel::http::accept::Accept;
use kernel::http::export::{Export, Exported, Format};
use kernel::http::openapi::named;
use kernel::http::paging::ListRequest;
use kernel::http::query::Query;
use kernel::http::reply::List;
use kernel::list::{Cursor, CursorWindow, Filtered, Paging, Sort};
use kernel::types::Timestamp;
use kernel::{Result, input};

input! {
    /// Which users to list, and what to show of them.
    struct UserListing {
        /// What to show of each user as well: `roles`, `social` and `block`, separated by commas.
        include: Option<Include>,
    }
    with filters: UserFilters
}

input! {
    /// Which users to export, and how.
    struct UserExport {
        /// `csv` or `ndjson`. By default `Accept` decides; without it, CSV.
        format: Option<Format>,
    }
    with filters: UserFilters
}

async fn list(
    caller: Caller<UsersRead>,
    request: ListRequest<Filtered<Paging<Cursor<UserKey>>, UserListing>>,
) -> Result<List<UserList>> {
    let UserListing { include, filters } = &request.query.filters;
    // The list and its total use the same moment.
    let now = caller.now();
    let mut read = caller.read_alone().await?;
    let window = request.window();
    let (mut found, total) = users::list_and_count(&mut read, now, filters, window).await?;
    let headers = request.headers(total, &mut found, |user| filters.sort().cursor(user));
    let users = UserList::read(&mut read, now, *include, found).await?;
    List::new(headers, &users)
}

impl Exported for UserFilters {
    const NAME: &'static str = "users";
    const COLUMNS: &'static [&'static str] = &["id", "username", "email", "created_at", "status"];
    type Key = UserKey;
    type Item = Listed;
    type Row = UserItem;

    fn sort(&self) -> Sort<UserKey> {
        UserFilters::sort(self)
    }

    async fn read(
        &self,
        conn: &mut Conn,
        now: Timestamp,
        window: &CursorWindow<UserKey>,
    ) -> Result<Vec<Listed>> {
        users::list(conn, now, self, window).await
    }
}

async fn export(
    caller: Caller<UsersRead>,
    Query(query): Query<UserExport>,
    accept: Accept,
) -> Result<Export> {
    let format = Format::choose(query.format, &accept)?;
    Export::begin(&caller, format, query.filters).await
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/users",
            get_with(list, named("listUsers", "List users")),
        )
        .api_route(
            "/api/users/export",
            get_with(
                export,
                named("exportUsers", "Export users as CSV or NDJSON"),
            ),
        )
}
