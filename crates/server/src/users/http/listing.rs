use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use db::Conn;

use super::UserList;
use crate::app::App;
use crate::users::body::UserItem;
use crate::users::{self, Listed, UserFilters, UserKey};
use kernel::auth::permission::UsersRead;
use kernel::http::Caller;
use kernel::http::accept::Accept;
use kernel::http::export::{Export, Exported, Format};
use kernel::http::openapi::named;
use kernel::http::paging::{Links, Page};
use kernel::http::query::Query;
use kernel::http::reply::List;
use kernel::input::Positive;
use kernel::list::{Cursor, Sort, Window};
use kernel::types::Timestamp;
use kernel::{Result, input};

input! {
    /// Which page of which users.
    struct UserPage {
        /// The page, from 1.
        page: Option<Positive>,
        /// How many items a page has, 20 unless said otherwise; above 100 is served as 100.
        per_page: Option<Positive>,
        /// Items after this place in the list, in the same order: an id where the list is
        /// ordered by id. `Link` carries it.
        after: Option<Cursor<UserKey>>,
    }
    with filters: UserFilters
}

input! {
    /// Which users to export, and how.
    struct UserExport {
        /// `csv` or `ndjson`; otherwise `Accept` decides, and CSV is the default.
        format: Option<Format>,
    }
    with filters: UserFilters
}

async fn list(
    caller: Caller<UsersRead>,
    links: Links,
    Query(query): Query<UserPage>,
) -> Result<List<UserList>> {
    let UserPage {
        page,
        per_page,
        after,
        filters,
    } = query;
    let page = Page::new(links, page, per_page, after.is_some());
    // One moment for both, so that the total counts what the list shows.
    let now = caller.now();
    let mut read = caller.read_alone().await?;
    let window = page.window(after);
    let (mut found, total) = users::list_and_count(&mut read, now, &filters, window).await?;
    let place = page.place(total, &mut found, |user| filters.sort().cursor(user));
    let users = found.into_iter().map(UserItem::from).collect();
    List::new(place, &UserList { users })
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
        window: &Window<Option<Cursor<UserKey>>>,
    ) -> Result<Vec<Listed>> {
        users::list(conn, now, self, window).await
    }
}

async fn export(
    caller: Caller<UsersRead>,
    Query(query): Query<UserExport>,
    accept: Accept,
) -> Result<Export> {
    let format = Format::chosen(query.format, &accept)?;
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
