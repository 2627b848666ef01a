//! Operations of backups.

use std::convert::Infallible;

use axum::extract::{FromRef, FromRequestParts, RawPathParams, State};
use axum::http::request::Parts;
use serde::Serialize;

use super::{Backup, Claim, Name, RUNNING};
use crate::backups;
use kernel::auth::permission::{Backups, BackupsRead, Confirmed};
use kernel::http::download::{Download, MediaType};
use kernel::http::paging::ListRequest;
use kernel::http::reply::{Accepted, Done, List, Message};
use kernel::http::routing::{ApiRouter, get_with, named_failing};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::schema::JsonSchema;
use kernel::write::Change;
use kernel::{Error, Kernel, Result};

/// The `{name}` of the path. A malformed name is 404, like a malformed id, and only after the
/// caller was authenticated.
struct BackupName(Option<Name>);

impl<S: Send + Sync> FromRequestParts<S> for BackupName {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let params = RawPathParams::from_request_parts(parts, state).await.ok();
        let mut params = params.iter().flatten();
        Ok(Self(params.find_map(|(_, value)| Name::parse(value))))
    }
}

#[cfg(feature = "openapi")]
mod description {
    use aide::OperationInput;
    use aide::generate::GenContext;
    use aide::openapi::{Operation, Response};
    use kernel::http::openapi;
    use serde_json::json;

    use super::{BackupName, Name};

    impl OperationInput for BackupName {
        fn operation_input(_: &mut GenContext, operation: &mut Operation) {
            openapi::add_parameter(
                operation,
                "path",
                "name",
                "The name of the backup.",
                json!({ "type": "string", "pattern": Name::PATTERN }),
            );
        }

        fn inferred_early_responses(
            ctx: &mut GenContext,
            _: &mut Operation,
        ) -> Vec<(Option<u16>, Response)> {
            vec![openapi::no_such_resource(ctx)]
        }
    }
}

struct SqliteFile;

impl MediaType for SqliteFile {
    const NAME: &'static str = "application/vnd.sqlite3";
}

#[derive(Serialize, JsonSchema)]
struct BackupList {
    backups: Vec<Backup>,
}

#[derive(Serialize, JsonSchema)]
struct BackupReply {
    message: &'static str,
    backup: Backup,
}

/// Runs file operations where they cannot block other requests.
async fn in_folder<T: Send + 'static>(
    state: &backups::State,
    work: impl FnOnce(&backups::State) -> Result<T> + Send + 'static,
) -> Result<T> {
    let state = state.clone();
    let done = tokio::task::spawn_blocking(move || work(&state)).await;
    done.map_err(Error::internal)?
}

async fn list(
    State(state): State<backups::State>,
    _: Caller<BackupsRead>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<BackupList>> {
    let window = request.window();
    let list = in_folder(&state, move |state| backups::list(state, window));
    let (total, mut backups) = list.await?;
    let headers = request.headers(total, &mut backups, |backup| backup.created_at.unix());
    List::new(headers, &BackupList { backups })
}

async fn create(
    State(state): State<backups::State>,
    writer: Writer<Backups>,
) -> Result<Accepted<BackupReply>> {
    // Comes before the transaction, which must not wait for a second connection.
    let (mut claim, refusal) = match Claim::new(&state).await {
        Ok(claim) => (Some(claim), None),
        Err(error) => (None, Some(error)),
    };
    let mut claimed = None;
    let run = writer.run(async |_, _| {
        if let Some(error) = refusal {
            return Err(error);
        }
        let taken = claim.take().ok_or(RUNNING)?;
        let backup = taken.backup();
        claimed = Some(taken);
        // The backup cannot be read yet, so the reply has no path.
        let started = Change::created(backup).without_path();
        Ok(started.map(|backup| BackupReply {
            message: "Backup started.",
            backup,
        }))
    });
    match (run.await, claimed) {
        (Ok(reply), Some(claim)) => {
            drop(claim.start(&state));
            Ok(reply)
        }
        // The reply repeats an earlier one, or nothing was written.
        (reply, claimed) => {
            if let Some(unused) = claimed.or(claim) {
                unused.release().await;
            }
            reply
        }
    }
}

async fn download(
    State(state): State<backups::State>,
    caller: Caller<Confirmed<BackupsRead>>,
    name: BackupName,
) -> Result<Download<SqliteFile>> {
    let (backup, file) = in_folder(&state, move |state| backups::open(state, name.0)).await?;
    let permit = state.backups.permit_download()?;
    let (name, size) = (backup.name.to_string(), backup.size.unwrap_or(0));
    Download::begin(&caller, &backup, name, file, size, permit).await
}

async fn delete(
    State(state): State<backups::State>,
    name: BackupName,
    writer: Writer<Backups>,
) -> Result<Done<Message>> {
    let _alone = state.backups.deleting.lock().await;
    let mut deleted = None;
    let run = writer.run(async |edit, _| {
        let backup = backups::target(edit, &state, name.0)?;
        backups::refuse_newest(&state, &backup)?;
        deleted = Some(backup.name);
        Ok(backups::delete(backup).map(|_| Message::new("Backup deleted.")))
    });
    let reply = run.await?;
    if let Some(name) = deleted {
        in_folder(&state, move |state| backups::remove(state, name)).await?;
    }
    Ok(reply)
}

const DISABLED: &str = "The service has no folder for backups: `backups_disabled`.";
const CANNOT_DELETE: &str = "The service has no folder for backups: `backups_disabled`. Or the backup \
                             is being taken: `backup_running`. Or it is the newest one: \
                             `newest_backup`.";
const DISABLED_OR_RUNNING: &str = "The service has no folder for backups: `backups_disabled`. Or a \
                                   backup is being taken: `backup_running`.";

/// Lets the extractors of the kernel take their state from that of the slice.
impl FromRef<backups::State> for Kernel {
    fn from_ref(state: &backups::State) -> Self {
        state.kernel.clone()
    }
}

pub fn routes() -> ApiRouter<backups::State> {
    ApiRouter::new()
        .api_route(
            "/api/backups",
            get_with(
                list,
                named_failing("listBackups", "List backups", 409, DISABLED),
            )
            .post_with(
                create,
                named_failing(
                    "createBackup",
                    "Take a backup of all data in the background",
                    409,
                    DISABLED_OR_RUNNING,
                ),
            ),
        )
        .api_route(
            "/api/backups/{name}",
            get_with(
                download,
                named_failing(
                    "downloadBackup",
                    "Download a backup, which is a SQLite database",
                    409,
                    DISABLED_OR_RUNNING,
                ),
            )
            .delete_with(
                delete,
                named_failing(
                    "deleteBackup",
                    "Delete a backup, unless it is the newest one",
                    409,
                    CANNOT_DELETE,
                ),
            ),
        )
        .with_path_items(|item| item.tag("Backups"))
}
