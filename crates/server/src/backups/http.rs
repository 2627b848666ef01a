//! Operations of backups.

use std::convert::Infallible;

use aide::OperationInput;
use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response};
use axum::extract::{FromRequestParts, RawPathParams, State};
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Backup, Claim, Name, RUNNING};
use crate::app::App;
use crate::backups;
use kernel::auth::permission::Backups;
use kernel::http::download::{Download, MediaType};
use kernel::http::openapi::{self, named_failing};
use kernel::http::paging::ListRequest;
use kernel::http::reply::{Accepted, Done, List, Message};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::write::Change;
use kernel::{Error, Result};

/// The `{name}` of the path. Like an id, anything that is no name is the name of nothing, so that
/// the reply is `404`, and only after the caller was authenticated.
struct BackupName(Option<Name>);

impl<S: Send + Sync> FromRequestParts<S> for BackupName {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let params = RawPathParams::from_request_parts(parts, state).await.ok();
        let mut params = params.iter().flatten();
        Ok(Self(params.find_map(|(_, value)| Name::parse(value))))
    }
}

impl OperationInput for BackupName {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        openapi::add_parameter(
            operation,
            "path",
            "name",
            "The name of the backup.",
            serde_json::json!({ "type": "string", "pattern": Name::PATTERN }),
        );
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        vec![openapi::error(ctx, 404, "There is no such resource.")]
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

/// Runs work on the folder where it cannot block other requests.
async fn in_folder<T: Send + 'static>(
    app: &App,
    work: impl FnOnce(&App) -> Result<T> + Send + 'static,
) -> Result<T> {
    let app = app.clone();
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    done.map_err(Error::internal)?
}

async fn list(
    State(app): State<App>,
    _: Caller<Backups>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<BackupList>> {
    let window = request.window();
    let list = in_folder(&app, move |app| backups::list(app, window));
    let (total, mut backups) = list.await?;
    let headers = request.headers(total, &mut backups, |backup| backup.created_at.unix());
    List::new(headers, &BackupList { backups })
}

async fn create(State(app): State<App>, writer: Writer<Backups>) -> Result<Accepted<BackupReply>> {
    // Before the transaction, which must not wait for a second connection.
    let (mut claim, refusal) = match Claim::new(&app).await {
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
        // It is not there yet.
        let started = Change::created(backup).without_path();
        Ok(started.map(|backup| BackupReply {
            message: "Backup started.",
            backup,
        }))
    });
    match (run.await, claimed) {
        (Ok(reply), Some(claim)) => {
            drop(claim.start(&app));
            Ok(reply)
        }
        // The reply is that to an earlier request, or nothing was written.
        (reply, claimed) => {
            if let Some(unused) = claimed.or(claim) {
                unused.release().await;
            }
            reply
        }
    }
}

async fn download(
    State(app): State<App>,
    caller: Caller<Backups>,
    name: BackupName,
) -> Result<Download<SqliteFile>> {
    let (backup, file) = in_folder(&app, move |app| backups::open(app, name.0)).await?;
    let permit = app.backups.permit_download()?;
    let (name, size) = (backup.name.to_string(), backup.size.unwrap_or(0));
    Ok(Download::new(&caller, &backup, name, file, size, permit))
}

async fn delete(
    State(app): State<App>,
    name: BackupName,
    writer: Writer<Backups>,
) -> Result<Done<Message>> {
    let _alone = app.backups.deleting.lock().await;
    let mut deleted = None;
    let run = writer.run(async |edit, _| {
        let backup = backups::target(edit, &app, name.0)?;
        deleted = Some(backup.name);
        Ok(backups::delete(backup).map(|_| Message::new("Backup deleted.")))
    });
    let reply = run.await?;
    if let Some(name) = deleted {
        in_folder(&app, move |app| backups::remove(app, name)).await?;
    }
    Ok(reply)
}

const DISABLED: &str = "The service has no folder for backups: `backups_disabled`.";
const DISABLED_OR_RUNNING: &str = "The service has no folder for backups: `backups_disabled`. Or a \
                                   backup is being taken: `backup_running`.";

pub fn routes() -> ApiRouter<App> {
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
                named_failing("deleteBackup", "Delete a backup", 409, DISABLED_OR_RUNNING),
            ),
        )
        .with_path_items(|item| item.tag("Backups"))
}
