use std::io::Write;
use std::net::SocketAddr;

use db::{DatabaseUrl, Db};
use kernel::Metrics;
use kernel::auth::{KeyValue, write_uses};
use kernel::http::connection::serve;
use kernel::secret::KeyFile;
use kernel::types::Clock;
use server::app::App;
use server::maintenance;
use server::routes::{metrics_router, router};
use server::servers::live::poller;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::options::Options;
use crate::{Outcome, logging, secret};

pub async fn run(options: Options) -> Outcome {
    let _log = logging::start(&options);
    let figures = Metrics::install();
    let chosen = match &options.admin_key {
        Some(value) => Some(
            KeyValue::chosen(value)
                .ok_or("the admin key must be 16 to 256 visible ASCII characters")?,
        ),
        None => None,
    };
    // From here on a signal is an orderly stop, also while the database is being prepared.
    let stop = stop_signal()?;
    let app = start(&options).await?;
    let listener = bind(options.listen).await?;
    let address = listener.local_addr()?;
    let metrics = match options.metrics_listen {
        Some(address) => Some(bind(address).await?),
        None => None,
    };
    // After all that can fail: a first key that was made but not shown would be lost.
    let first = app.ensure_first_key(chosen.as_ref()).await?;
    let mut tasks = tokio::task::JoinSet::new();
    let metrics_apart = metrics.is_some();
    if let Some(listener) = metrics {
        tracing::info!(address = %listener.local_addr()?, "serving metrics");
        let router = metrics_router(&app);
        tasks.spawn(serve(
            app.kernel.clone(),
            listener,
            router,
            stopped(stop.clone()),
        ));
    }
    let upkeep = tokio::spawn(maintenance::run(app.clone(), options.upkeep()));
    let uses = tokio::spawn(maintenance::keep_writing_uses(app.clone()));
    let poller = tokio::spawn(poller::run(app.clone()));
    let figures = tokio::spawn(figures.keep_small());

    let router = router(&app, !metrics_apart);
    announce(address)?;
    if let Some(value) = first {
        introduce(address, &value);
    }
    serve(app.kernel.clone(), listener, router, stopped(stop)).await;
    tasks.join_all().await;
    upkeep.abort();
    uses.abort();
    if let Err(error) = write_uses(&app, &app.keys).await {
        tracing::warn!(%error, "the last uses of keys were not written");
    }
    poller.abort();
    figures.abort();
    tracing::info!("stopped");
    Ok(())
}

/// Opens everything that `options` name; makes the data folder and the key file where missing.
pub async fn start(options: &Options) -> Result<App, Box<dyn std::error::Error>> {
    create_folder(options)?;
    let file = KeyFile::new(options.secret_key_file());
    let mut secret_key = file
        .load_or_create()
        .map_err(|error| secret::about(&file, error))?;
    let db = open(options).await?;
    if kernel::secret::secret_key_fits(&db, &secret_key).await? == Some(false)
        && let Some(new) = secret::finish_rotation(&file, &db).await?
    {
        secret_key = new;
    }
    let (limits, live) = (options.limits(), options.live());
    Ok(App::start(db, Clock::System, secret_key, limits, live).await?)
}

/// The same for commands about what is there already: a database that is not there holds
/// nothing, and making one would hide a mistyped folder.
pub async fn start_existing(options: &Options) -> Result<App, Box<dyn std::error::Error>> {
    match options.database_url() {
        DatabaseUrl::Sqlite(path) if !path.exists() => {
            let path = path.display();
            Err(format!(
                "there is no database at {path}; name it with --data-dir or --database-url"
            )
            .into())
        }
        _ => start(options).await,
    }
}

pub async fn open(options: &Options) -> Result<Db, Box<dyn std::error::Error>> {
    let url = options.database_url();
    let db = Db::open(&url, &options.database()).await;
    Ok(db.map_err(|error| format!("{url}: {error}"))?)
}

/// Only its owner can look into the folder.
fn create_folder(options: &Options) -> Outcome {
    let folder = &options.data_dir;
    let in_use = options.secret_key_file().starts_with(folder)
        || matches!(options.database_url(), DatabaseUrl::Sqlite(path) if path.starts_with(folder));
    if !in_use {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder);
    made.map_err(|error| format!("the data folder {}: {error}", folder.display()).into())
}

async fn bind(address: SocketAddr) -> Result<TcpListener, String> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| format!("cannot listen on {address}: {error}"))
}

/// The first line on standard output, for whoever waits for the service to be ready.
fn announce(address: SocketAddr) -> Outcome {
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on http://{address}")?;
    Ok(out.flush()?)
}

/// The one time the first key is shown.
fn introduce(address: SocketAddr, value: &KeyValue) {
    let value = value.reveal();
    eprintln!(
        "\nThis is the first key. It may do everything, and it is shown only this once:\n\n    \
         {value}\n\nTry it:\n\n    curl -H 'X-API-Key: {value}' http://{address}/api/status\n"
    );
}

fn stop_signal() -> std::io::Result<watch::Receiver<bool>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping: finishing what runs");
        let _ = stop.send(true);
    });
    Ok(stopped)
}

async fn stopped(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
