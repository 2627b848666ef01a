//! The operation that feeds plugins.

use axum::body::{Body, Bytes};
use axum::extract::State as Extracted;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use serde::Serialize;

use super::{changes, cursor_expired};
use crate::bans::{Ban, BanKind, BanState, IpRange, State, store};
use kernel::auth::Actor;
use kernel::auth::permission::BansRead;
use kernel::http::Caller;
use kernel::http::query::Query;
use kernel::http::reply::{Single, to_json};
use kernel::http::routing::{ApiRouter, get_with, named_failing};
use kernel::input::{Place, Positive, Raw, Rule, text};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::{Result, inline_schema, input};

const NDJSON: &str = "application/x-ndjson";
/// How many bans are read at a time.
const BATCH: i64 = 500;

input! {
    /// The position to begin at.
    struct FeedQuery {
        /// The cursor of the last answer. Without it, the answer has all active bans, one on a line.
        after: Option<FeedCursor>,
        /// Only bans that hold on this server, also those for all servers. Changes are not filtered:
        /// a ban that moved to other servers must leave a copy, too.
        server_id: Option<Positive>,
    }
}

/// The id of an entry of the log; `None` if it is anything else, which is an unknown cursor.
#[derive(Clone, Copy, Debug)]
struct FeedCursor(Option<i64>);

impl Rule for FeedCursor {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        Some(Self(text.parse().ok().filter(|_| is_plain)))
    }
}

inline_schema!(FeedCursor, { "type": "string" });

/// A ban, without what only moderators see.
#[derive(Serialize, JsonSchema)]
struct FedBan {
    id: i64,
    kind: BanKind,
    steam_id64: Option<String>,
    ip_range: Option<String>,
    user_id: Option<i64>,
    player_name: String,
    /// Empty for all servers.
    server_ids: Vec<i64>,
    reason: String,
    created_at: Timestamp,
    /// When the ban expires; null is never. Expiry is no change: compare it with the clock.
    expires_at: Option<Timestamp>,
    state: BanState,
    lifted_at: Option<Timestamp>,
}

impl FedBan {
    fn new(ban: Ban, now: Timestamp) -> Self {
        Self {
            id: ban.id,
            kind: ban.kind,
            state: ban.state(now),
            steam_id64: ban.subject.steam_id.map(|id| id.id64().to_string()),
            ip_range: ban
                .subject
                .ip_range
                .as_ref()
                .map(IpRange::as_str)
                .map(str::to_owned),
            user_id: ban.subject.user_id,
            player_name: ban.player_name,
            server_ids: ban.server_ids,
            reason: ban.reason,
            created_at: ban.created_at,
            expires_at: ban.expires_at.time(),
            lifted_at: ban.lifted.map(|lift| lift.at),
        }
    }
}

/// The bans that changed after a cursor.
#[derive(Serialize, JsonSchema)]
struct BanChangeList {
    /// Each ban that changed, in its present state, in the order of the changes.
    bans: Vec<FedBan>,
    /// For the next request.
    cursor: String,
    /// Whether more changes follow at once.
    more: bool,
}

/// The first line of all active bans.
#[derive(Serialize)]
struct Start {
    cursor: String,
}

/// Either answer.
enum Feed {
    All(Body),
    Changes(Single<BanChangeList>),
}

impl IntoResponse for Feed {
    fn into_response(self) -> Response {
        match self {
            Self::All(body) => {
                let kind = HeaderValue::from_static(NDJSON);
                (StatusCode::OK, [(CONTENT_TYPE, kind)], body).into_response()
            }
            Self::Changes(changes) => changes.into_response(),
        }
    }
}

async fn follow(
    Extracted(state): Extracted<State>,
    caller: Caller<BansRead>,
    Query(query): Query<FeedQuery>,
) -> Result<Feed> {
    let Some(after) = query.after else {
        let server_id = query.server_id.map(|Positive(id)| id);
        return all(state, caller.actor().clone(), server_id).await;
    };
    let after = after.0.ok_or_else(cursor_expired)?;
    let mut read = caller.read_alone().await?;
    let found = changes(&state.events, &mut read, after).await?;
    drop(read);
    let now = caller.now();
    let bans = found.bans.into_iter();
    let body = BanChangeList {
        bans: bans.map(|ban| FedBan::new(ban, now)).collect(),
        cursor: found.cursor.to_string(),
        more: found.more,
    };
    caller
        .single_with_others("\"feed\"", &body)
        .map(Feed::Changes)
}

/// All active bans. The cursor is taken first, so that a change in the meantime is told again.
async fn all(state: State, actor: Actor, server_id: Option<i64>) -> Result<Feed> {
    let start = Start {
        cursor: state.events.complete_to().await?.to_string(),
    };
    let first = line(&start)?;
    let reading = Reading {
        state,
        actor,
        server_id,
        after: Some(0),
    };
    let rest = stream::try_unfold(reading, Reading::next);
    let whole = stream::iter([Ok(Bytes::from(first))]).chain(rest);
    Ok(Feed::All(Body::from_stream(whole)))
}

fn line(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut line = to_json(value)?;
    line.push(b'\n');
    Ok(line)
}

/// The active bans that are still to be read. Each batch is a short read, so a slow client holds no
/// connection.
struct Reading {
    state: State,
    actor: Actor,
    server_id: Option<i64>,
    /// `None` after the last batch.
    after: Option<i64>,
}

impl Reading {
    async fn next(mut self) -> Result<Option<(Bytes, Self)>> {
        let Some(after) = self.after else {
            return Ok(None);
        };
        tokio::task::yield_now().await;
        let kernel = &self.state.kernel;
        kernel.keys.confirm(&kernel.core, &self.actor).await?;
        let now = kernel.core.expiry_now();
        // A response body runs outside the task-local client of its request.
        let client = db::Client::new(None).with_share(self.actor.share());
        let reading = async {
            let mut read = kernel.core.db.read_alone().await?;
            store::active_after(&mut read, now, after, BATCH).await
        };
        let bans = client.scope(reading).await?;
        let is_last = (bans.len() as i64) < BATCH;
        let last = bans.last().map(|ban| ban.id);
        let mut lines = Vec::new();
        for ban in bans {
            if self.server_id.is_none_or(|id| ban.is_in_scope(id)) {
                lines.extend(line(&FedBan::new(ban, now))?);
            }
        }
        self.after = last.filter(|_| !is_last);
        Ok(Some((lines.into(), self)))
    }
}

#[cfg(feature = "openapi")]
mod description {
    use aide::OperationOutput;
    use aide::generate::GenContext;
    use aide::openapi::{MediaType, Operation, Response};
    use kernel::http::openapi;

    use super::{BanChangeList, Feed, NDJSON};

    impl OperationOutput for Feed {
        type Inner = BanChangeList;

        fn inferred_responses(
            ctx: &mut GenContext,
            _: &mut Operation,
        ) -> Vec<(Option<u16>, Response)> {
            // Only the changes have an entity tag.
            let mut success = openapi::success::<BanChangeList>(ctx, &[]);
            let lines = openapi::stream(NDJSON).content.swap_remove(NDJSON);
            let lines: MediaType = lines.unwrap_or_default();
            success.content.insert(NDJSON.to_owned(), lines);
            vec![(Some(200), success), (Some(304), openapi::not_modified())]
        }
    }
}

pub fn routes() -> ApiRouter<State> {
    ApiRouter::new()
        .api_route(
            "/api/bans/feed",
            get_with(
                follow,
                named_failing(
                    "followBans",
                    "Read all active bans, and then every change",
                    409,
                    "The cursor is unknown, too old, or from before an import.",
                ),
            ),
        )
        .with_path_items(|item| item.tag("Bans"))
}
