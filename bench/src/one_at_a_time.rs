//! The service without group commit: each write has its own transaction and is durable before the
//! next one begins. Otherwise it is like `steward serve`, but it logs no requests and runs no
//! background jobs, which is to its advantage.
//!
//! usage: STEWARD_ADMIN_KEY=VALUE bench-one-at-a-time FOLDER, filled by `steward demo`

use std::error::Error;
use std::path::PathBuf;

use db::{DatabaseUrl, Db, Options};
use game_servers::servers::live::Settings;
use kernel::Metrics;
use kernel::auth::KeyValue;
use kernel::http::connection::serve;
use kernel::secret::KeyFile;
use kernel::types::Clock;
use mimalloc::MiMalloc;
use server::app::App;
use server::routes::{PublicPaths, router};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::filter::LevelFilter;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Uses the same allocator as the service. The linker drops it unless something refers to it.
    eprintln!("mimalloc {}", MiMalloc.version());
    let folder = std::env::args_os().nth(1).ok_or("name the data folder")?;
    let folder = PathBuf::from(folder);
    let key = std::env::var("STEWARD_ADMIN_KEY")?;
    let key = KeyValue::chosen(&key).ok_or("STEWARD_ADMIN_KEY is not a valid key")?;

    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .init();
    let metrics = Metrics::default();
    let secret_key = KeyFile::new(folder.join("secret.key")).create()?;
    let options = Options {
        max_group_size: 1,
        recorder: metrics.db_recorder(),
        ..Options::default()
    };
    let db = Db::open(&DatabaseUrl::Sqlite(folder.join("steward.db")), &options).await?;
    let live = Settings {
        enabled: false,
        ..Settings::default()
    };
    let settings = server::app::Settings {
        metrics,
        live,
        ..Default::default()
    };
    let app = App::start(db, Clock::System, secret_key, settings).await?;
    app.ensure_first_key(Some(&key)).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}", listener.local_addr()?);
    let mut terminate = signal(SignalKind::terminate())?;
    let router = router(&app, PublicPaths::ALL);
    let connections = app.kernel.limits.connections;
    serve(
        app.kernel.clone(),
        listener,
        None,
        router,
        connections,
        Box::pin(async move {
            terminate.recv().await;
        }),
    )
    .await;
    Ok(())
}
