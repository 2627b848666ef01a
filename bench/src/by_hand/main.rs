//! What an expert would write by hand for five operations and nothing else: the key check, the
//! statements, the JSON, and durable writes with their audit entries. It has no log, metrics,
//! limits, entity tags, idempotency or fairness. Its bodies and rows are those of the service.
//!
//! usage: bench-by-hand sqlite:FILE|postgres://..., filled by `steward demo`

mod api;
mod ban_check;
mod bodies;
mod postgres;
mod sqlite;
mod store;

use std::error::Error;
use std::future::IntoFuture;
use std::net::SocketAddr;

use axum::serve::ListenerExt;
use mimalloc::MiMalloc;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use self::postgres::Postgres;
use self::sqlite::Sqlite;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Uses the same allocator as the service. The linker drops it unless something refers to it.
    eprintln!("mimalloc {}", MiMalloc.version());
    let url = std::env::args().nth(1).ok_or("name the database")?;
    let router = match url.strip_prefix("sqlite:") {
        Some(path) => api::router(Sqlite::open(path.into())?).await?,
        None => api::router(Postgres::connect(url.parse()?).await?).await?,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}", listener.local_addr()?);
    // The service does the same.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let mut stop = signal(SignalKind::terminate())?;
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    tokio::select! {
        served = axum::serve(listener, service).into_future() => served?,
        _ = stop.recv() => {}
    }
    Ok(())
}
