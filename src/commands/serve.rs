//! `steward serve`: runs the service until a signal stops it.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use kernel::auth::{KeyValue, write_uses};
use kernel::http::connection::{Certificates, serve};
use kernel::types::random;
use kernel::{Kernel, Metrics};
use server::app::Settings;
use server::backups::schedule;
use server::console::{self, SETUP_HOURS};
use server::maintenance;
use server::routes::{PublicPaths, metrics_router, router};
use server::servers::live::poller;
use server::trace_export::{self, Exporter};
use server::webhooks;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::allocator;
use crate::error::Result;
use crate::options::Options;
use crate::output::{print_line, print_remark};
use crate::startup::Exposed;
use crate::{instance_lock, logging, open_files, startup};

/// At the metrics' own address.
const METRICS_CONNECTIONS: usize = 64;

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;

/// How long requests to webhooks may take to end, and to be stored.
const WEBHOOKS_TIME: Duration = Duration::from_secs(15);

pub async fn run(options: &Options) -> Result {
    // Before the log, which counts the lines that it drops.
    let metrics_recorder = Metrics::install();
    let _log = logging::start(options)?;
    // Outside the macro, which may be compiled to nothing: the program must refer to the allocator.
    let mimalloc = allocator::version();
    tracing::debug!(mimalloc, "using this allocator");
    startup::warn_of_unknown_variables(options);
    let admin_key = startup::admin_key(options)?;
    let certificates = startup::certificates(options)?;
    // From here on a signal is an orderly stop, even while migrations run.
    let stop = listen_for_signals()?;
    let settings = settings(options)?;
    if options.is_exposed() {
        tracing::warn!(
            address = %options.listen,
            "keys and data are sent unencrypted at an address that may be public; set --tls-cert \
             and --tls-key, or put a proxy with TLS in front and name it in --trusted-proxies"
        );
    }
    // Before the database is changed: a start that cannot serve must not migrate it.
    let bound = Bound::new(options.listen)?;
    let metrics = options.metrics_listen.map(Bound::new).transpose()?;
    startup::create_data_folder(options)?;
    let _instance = instance_lock::acquire(&options.database_url())?;
    let app = startup::start_with(options, settings).await?;
    for Exposed { path, mode, advice } in startup::exposed_files(options) {
        tracing::warn!(file = %path.display(), mode, "{advice}");
    }
    let listener = bound.listen()?;
    let address = listener.local_addr()?;
    let metrics = metrics.map(Bound::listen).transpose()?;
    // Last of all that can fail: a first key that is created but not shown would be lost.
    let first_key = app.ensure_first_key(admin_key.as_ref()).await?;
    // Without the console, its link would lead nowhere.
    let setup = match options.console() {
        true => console::first_token(&app).await?,
        false => None,
    };
    let mut tasks = JoinSet::new();
    let has_own_metrics_address = metrics.is_some();
    if let Some(listener) = metrics {
        tracing::info!(address = %listener.local_addr()?, "serving metrics");
        let router = metrics_router(&app);
        tasks.spawn(serve(
            app.kernel.clone(),
            listener,
            None,
            router,
            METRICS_CONNECTIONS,
            Box::pin(stopped(
                app.kernel.clone(),
                options.drain_time(),
                stop.clone(),
            )),
        ));
    }
    let jobs = tokio::spawn(maintenance::run(app.clone(), options.maintenance()));
    let uses = tokio::spawn(maintenance::keep_writing_uses(app.clone()));
    let poller = tokio::spawn(poller::run(app.clone()));
    let backups = tokio::spawn(schedule::run(app.clone()));
    let webhooks = tokio::spawn(webhooks::run(app.clone()));
    let traces = tokio::spawn(trace_export::run(app.clone()));
    let recorder = tokio::spawn(metrics_recorder.aggregate());
    let reloader = certificates.clone().map(Certificates::keep_reloading);
    let reloader = reloader.map(tokio::spawn);

    let public = PublicPaths {
        metrics: !has_own_metrics_address,
        docs: options.docs(),
        console: options
            .console()
            .then(|| web_console::routes(random::bytes)),
    };
    let router = router(&app, public);
    let origin = options.origin_at(address);
    let announced = announce(&origin);
    // Even if standard output cannot be written: the key is never shown again.
    if let Some(value) = &first_key {
        show_first_key(&origin, value);
    }
    if let Some(token) = setup {
        let link = console::setup_link(&origin, &token);
        match first_key {
            Some(_) => show_setup_link(&link),
            // Without a person who reads the key, standard error is the log alone.
            None => tracing::info!(
                link,
                "open the link within {SETUP_HOURS} hours to set up the console"
            ),
        }
    }
    announced?;
    let connections = app.limits.connections;
    let (stopping, drain_time) = (app.clone(), options.drain_time());
    let stop = Box::pin(async move {
        stopped(stopping.kernel.clone(), drain_time, stop).await;
        // Streams have no end of their own.
        stopping.events.close();
        stopping.webhooks.stop();
    });
    serve(
        app.kernel.clone(),
        listener,
        certificates,
        router,
        connections,
        stop,
    )
    .await;
    tasks.join_all().await;
    // There are no more requests. What is left is sent while the rest stops.
    app.traces.iter().for_each(Exporter::stop);
    jobs.abort();
    uses.abort();
    backups.abort();
    app.backups.stop().await;
    // Requests under way end in time; what is not stored is sent again.
    let _ = tokio::time::timeout(WEBHOOKS_TIME, webhooks).await;
    if let Err(error) = server::sessions::write_uses(&app).await {
        tracing::warn!(%error, "the last uses of sessions were not written");
    }
    if let Err(error) = write_uses(&app, &app.keys).await {
        tracing::warn!(%error, "the last uses of keys were not written");
    }
    // Its time is limited by itself.
    let _ = traces.await;
    poller.abort();
    recorder.abort();
    if let Some(reloader) = reloader {
        reloader.abort();
    }
    tracing::info!("stopped");
    Ok(())
}

/// The settings of the options, as far as the limit of open files allows.
fn settings(options: &Options) -> Result<Settings> {
    let mut limits = options.limits();
    let metrics = options.metrics_listen.map_or(0, |_| METRICS_CONNECTIONS);
    let others = options.other_files() + metrics;
    open_files::fit(&mut limits, open_files::raise_limit(), others)?;
    Ok(Settings {
        limits,
        live: options.live(),
        backups: options.backups(),
        webhooks: options.webhooks(),
        otlp_endpoint: options.otlp_endpoint.clone(),
    })
}

/// A port that is taken, but refuses connections until the service is ready.
struct Bound {
    socket: TcpSocket,
    address: SocketAddr,
}

impl Bound {
    fn new(address: SocketAddr) -> std::result::Result<Self, String> {
        let bind = || {
            let socket = match address {
                SocketAddr::V4(_) => TcpSocket::new_v4()?,
                SocketAddr::V6(_) => TcpSocket::new_v6()?,
            };
            // Connections of a stopped service may still be closing.
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            Ok(Self { socket, address })
        };
        bind().map_err(|error| Self::explain(address, error))
    }

    fn listen(self) -> std::result::Result<TcpListener, String> {
        let listener = self.socket.listen(BACKLOG);
        listener.map_err(|error| Self::explain(self.address, error))
    }

    fn explain(address: SocketAddr, error: io::Error) -> String {
        format!("cannot listen on {address}: {error}")
    }
}

/// The first line on standard output tells scripts that the service is ready.
fn announce(origin: &str) -> std::result::Result<(), String> {
    // Also a closed pipe is a failure here: a service that ends has not succeeded.
    print_line!("listening on {origin}").map_err(|error| error.to_string())
}

/// The only time that the first key is shown.
fn show_first_key(origin: &str, value: &KeyValue) {
    let value = value.reveal();
    print_remark!(
        "\nThis is the first key. It may do everything, and it is shown only this once:\n\n    \
         {value}\n\nTry it:\n\n    curl -H 'X-API-Key: {value}' {origin}/api/status\n"
    );
}

/// The only time that this link is shown.
fn show_setup_link(link: &str) {
    print_remark!(
        "To use the console, open this link within {SETUP_HOURS} hours, and choose a name and a \
         password:\n\n    {link}\n"
    );
}

/// What the operator has asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    No,
    /// Once load balancers have noticed.
    Drained,
    Now,
}

fn listen_for_signals() -> io::Result<watch::Receiver<Stop>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (stop, asked) = watch::channel(Stop::No);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {
                let _ = stop.send(Stop::Drained);
                // Ends the drain.
                interrupt.recv().await;
            }
            _ = interrupt.recv() => {}
        }
        let _ = stop.send(Stop::Now);
    });
    Ok(asked)
}

/// Returns when the service is to accept no more connections.
async fn stopped(kernel: Kernel, drain_time: Duration, mut stop: watch::Receiver<Stop>) {
    let asked = stop.wait_for(|stop| *stop != Stop::No).await;
    let is_drained = asked.is_ok_and(|asked| *asked == Stop::Drained);
    if is_drained {
        kernel.readiness.begin_drain();
    }
    if is_drained && kernel.readiness.is_probed() {
        tracing::info!("stopping: reporting that this instance is not ready");
        let now = stop.wait_for(|stop| *stop == Stop::Now);
        let _ = tokio::time::timeout(drain_time, now).await;
    }
    tracing::info!("stopping: finishing running requests");
}
