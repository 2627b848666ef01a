//! The operations over HTTP, and the key check.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::{ConnectInfo, FromRequestParts, Path, RawQuery, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::routing::{get, post};
use axum::{Json, Router};
use kernel::types::Clock;
use sha2::{Digest, Sha256};

use crate::ban_check;
use crate::bodies::{
    BanCheck, InvoiceItem, InvoiceReply, InvoiceRequest, Role, RoleItem, RoleReply, SingleUser,
    UserList,
};
use crate::store::{Author, Failure, Key, Result, Store};

const PAGE: i64 = 20;

struct App<S> {
    store: S,
    keys: HashMap<Vec<u8>, Arc<Key>>,
    requests: AtomicU64,
}

type Shared<S> = State<Arc<App<S>>>;
type Created<T> = (StatusCode, Json<T>);

pub async fn router<S: Store>(store: S) -> Result<Router> {
    let mut keys = HashMap::new();
    for (hash, key) in store.keys().await? {
        keys.insert(hash, Arc::new(key));
    }
    let app = App {
        store,
        keys,
        requests: AtomicU64::default(),
    };
    Ok(Router::new()
        .route("/api/users", get(list_users::<S>))
        .route("/api/users/{id}", get(read_user::<S>))
        .route("/api/bans/check", get(check_ban::<S>))
        .route("/api/roles", post(create_role::<S>))
        .route("/api/payment-invoices", post(create_invoice::<S>))
        .with_state(Arc::new(app)))
}

/// The key of a request. Every key may do everything.
struct Caller(Arc<Key>);

impl<S: Store> FromRequestParts<Arc<App<S>>> for Caller {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App<S>>) -> Result<Self> {
        let value = parts.headers.get("x-api-key");
        let value = value.ok_or(Failure(StatusCode::UNAUTHORIZED))?;
        let key = app.keys.get(Sha256::digest(value.as_bytes()).as_slice());
        let key = key.ok_or(Failure(StatusCode::UNAUTHORIZED))?;
        Ok(Self(Arc::clone(key)))
    }
}

async fn read_user<S: Store>(
    State(app): Shared<S>,
    _: Caller,
    Path(id): Path<i64>,
) -> Result<Json<SingleUser>> {
    let user = app.store.user(id, Clock::System.now()).await?;
    let user = user.ok_or(Failure(StatusCode::NOT_FOUND))?;
    Ok(Json(SingleUser { user }))
}

async fn list_users<S: Store>(
    State(app): Shared<S>,
    _: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<UserList>> {
    let page = match query.as_deref().map(|query| query.strip_prefix("page=")) {
        None => 1,
        Some(page) => page
            .and_then(|page| page.parse::<i64>().ok())
            .filter(|page| (1..=i64::MAX / PAGE).contains(page))
            .ok_or(Failure(StatusCode::UNPROCESSABLE_ENTITY))?,
    };
    let offset = (page - 1) * PAGE;
    let users = app.store.users(offset, Clock::System.now()).await?;
    Ok(Json(UserList { users }))
}

async fn check_ban<S: Store>(
    State(app): Shared<S>,
    _: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<BanCheck>> {
    let player = ban_check::player(&query.unwrap_or_default())?;
    let mut bans = app.store.bans(&player, Clock::System.now()).await?;
    bans.sort_unstable_by_key(|ban| Reverse(ban.id));
    // A ban may match by SteamID and by address.
    bans.dedup_by_key(|ban| ban.id);
    let banned = bans.iter().any(|ban| ban.kind == "ban");
    Ok(Json(BanCheck { banned, bans }))
}

async fn create_role<S: Store>(
    State(app): Shared<S>,
    Caller(key): Caller,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Json(role): Json<Role>,
) -> Result<Created<RoleReply>> {
    if role.name.is_empty() || role.name.len() > 100 {
        return Err(Failure(StatusCode::UNPROCESSABLE_ENTITY));
    }
    let (name, description) = (role.name.clone(), role.description.clone());
    let id = app.store.create_role(role, app.author(key, peer)).await?;
    let reply = RoleReply {
        message: "Role created.",
        role: RoleItem {
            id,
            name,
            description,
        },
    };
    Ok((StatusCode::CREATED, Json(reply)))
}

async fn create_invoice<S: Store>(
    State(app): Shared<S>,
    Caller(key): Caller,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Json(request): Json<InvoiceRequest>,
) -> Result<Created<InvoiceReply>> {
    let new = request.parse();
    let new = new.ok_or(Failure(StatusCode::UNPROCESSABLE_ENTITY))?;
    let author = app.author(key, peer);
    let now = author.now;
    let created = app.store.create_invoice(new.clone(), author).await?;
    let created = created.ok_or(Failure(StatusCode::NOT_FOUND))?;
    let reply = InvoiceReply {
        message: "Invoice created.",
        payment_invoice: InvoiceItem::new(new, created, now),
    };
    Ok((StatusCode::CREATED, Json(reply)))
}

impl<S> App<S> {
    fn author(&self, key: Arc<Key>, peer: SocketAddr) -> Author {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        Author {
            key,
            ip: peer.ip().to_string(),
            // As long as those of the service.
            request_id: format!("{number:026}"),
            now: Clock::System.now(),
        }
    }
}
