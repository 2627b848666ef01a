use super::UserFilters;
use crate::users::body::UserItem;
use crate::users::included::Include;
use crate::users::included::http::UserList;
use crate::users::{self, User};
use kernel::auth::permission::{Confirmed, UsersRead};
use kernel::http::Caller;
use kernel::http::export::{Export, ExportFile, ExportRequest};
use kernel::http::paging::ListRequest;
use kernel::http::reply::List;
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::input::Faults;
use kernel::list::{ListQuery, ListSpec, Order, read_after};
use kernel::write::Resource;
use kernel::{Result, input};

input! {
    /// The parts of listed users to show.
    struct UserListing {
        /// Additional parts to show: `roles`, `social` and `block`, separated by commas.
        include: Option<Include>,
    }
    with filters: UserFilters
}

impl ListQuery for UserListing {
    const LIST: &'static ListSpec = UserFilters::LIST;

    fn check(&self, order: Order, faults: &mut Faults) {
        self.filters.check(order, faults);
    }
}

async fn list(
    caller: Caller<UsersRead>,
    request: ListRequest<UserListing>,
) -> Result<List<UserList>> {
    let UserListing { include, filters } = &request.filters;
    // The list and its total use the same time.
    let now = caller.now();
    let mut read = caller.read_alone().await?;
    let list = users::list(now, filters, request.order);
    let (found, headers) = request.read(&mut read, &list).await?;
    let users = UserList::read(&mut read, now, *include, found).await?;
    List::new(headers, &users)
}

const EXPORT: ExportFile = ExportFile {
    name: "users",
    resource: User::PLURAL,
    columns: &["id", "username", "email", "created_at", "status"],
    batch: 500,
};

async fn export(
    caller: Caller<Confirmed<UsersRead>>,
    request: ExportRequest<UserFilters>,
) -> Result<Export> {
    let export = Export::begin(&caller, request, EXPORT, |request, conn, now, after| {
        Box::pin(async move {
            let list = users::list(now, &request.filters, request.order);
            read_after::<_, UserItem>(conn, &list, after, EXPORT.batch).await
        })
    });
    export.await
}

pub fn routes() -> ApiRouter<users::State> {
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
