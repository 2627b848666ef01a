//! `steward serve`: runs the service until a signal stops it.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use accounts::console::{self, SETUP_HOURS};
use accounts::passwords::Cost;
use discord::guild;
use game_servers::servers::live::poller;
use kernel::auth::{KeyValue, write_uses};
use kernel::http::connection::{Certificates, serve};
use kernel::types::random;
use kernel::{Kernel, Metrics};
use moderation::bans;
use payments::grants;
use platform::backups::schedule;
use platform::trace_export;
use platform::webhooks;
use server::app::Settings;
use server::maintenance;
use server::routes::{PublicPaths, metrics_router, router};
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::allocator;
use crate::error::Result;
use crate::options::Options;
use crate::output::{print_line, print_remark};
use crate::setup_link::SetupLinkFile;
use crate::startup::Exposed;
use crate::{instance_lock, logging, open_files, startup};

/// The limit of connections at the metrics' own address.
const METRICS_CONNECTIONS: usize = 64;

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;

/// How long a stop waits for running deliveries of webhooks.
const WEBHOOKS_TIME: Duration = Duration::from_secs(15);

pub async fn run(options: &Options) -> Result {
    let service_metrics = Metrics::default();
    let _log = logging::start(options, &service_metrics)?;
    // Outside the macro, which may be compiled to nothing: the program must refer to the allocator.
    let mimalloc = allocator::version();
    tracing::debug!(mimalloc, "using this allocator");
    startup::warn_of_unknown_variables(options);
    let admin_key = startup::admin_key(options)?;
    let certificates = startup::certificates(options)?;
    // From here on a signal stops the service cleanly, even while migrations run.
    let stop = listen_for_signals()?;
    let settings = settings(options, service_metrics.clone())?;
    if options.is_exposed() {
        tracing::warn!(
            address = %options.listen,
            "keys and data are sent unencrypted at an address that may be public; set --tls-cert \
             and --tls-key, or put a proxy with TLS in front and name it in --trusted-proxies"
        );
    }
    for (option, address) in startup::replaced_providers(options) {
        tracing::warn!(
            option,
            address = %address.url(),
            "who answers at this address can sign in as anybody; it is for tests only"
        );
    }
    // Binds before the database is changed: a start that cannot serve must not migrate it.
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
    // The last step that can fail: a first key that is created but not shown would be lost.
    let first_key = app.ensure_first_key(admin_key.as_ref()).await?;
    // The link would lead nowhere without the console.
    let setup = match options.console() {
        true => console::first_token(&app.kernel.core).await?,
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
    let roles = tokio::spawn(maintenance::keep_ending_roles(app.clone()));
    let poller = tokio::spawn(poller::run(app.servers.clone()));
    let backups = tokio::spawn(schedule::run(app.backups.clone()));
    let webhooks = tokio::spawn(webhooks::run(app.webhooks.clone()));
    let commands = tokio::spawn(grants::sender::run(app.grants.clone()));
    let ban_commands = tokio::spawn(bans::commands::sender::run(app.ban_commands.clone()));
    let discord = tokio::spawn(guild::members::run(app.discord.clone()));
    let traces = app.traces.clone();
    let traces = traces.map(|exporter| trace_export::run(exporter, app.kernel.clone()));
    let traces = traces.map(tokio::spawn);
    let recorder = tokio::spawn(service_metrics.aggregate());
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
    // Shown even if standard output cannot be written: the key is never shown again.
    if let Some(value) = &first_key {
        show_first_key(&origin, value);
    }
    if let Some(token) = setup {
        let link = console::setup_link(&origin, &token);
        match first_key {
            Some(_) => show_setup_link(&link),
            // Without a key to show, standard error is only a log, which others may read.
            None => SetupLinkFile::of(&options.data_dir).write(&link),
        }
    }
    let setup_link = SetupLinkFile::of(&options.data_dir);
    let setup_link = tokio::spawn(setup_link.remove_when_invalid(app.kernel.core.clone()));
    announced?;
    let connections = app.kernel.limits.connections;
    let (stopping, drain_time) = (app.clone(), options.drain_time());
    let stop = Box::pin(async move {
        stopped(stopping.kernel.clone(), drain_time, stop).await;
        // Event streams stay open until they are closed.
        stopping.events.close();
        stopping.webhooks.dispatcher.stop();
        stopping.grants.stop.stop();
        stopping.ban_commands.stop.stop();
        stopping.discord.stop();
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
    // All requests have ended. The exporter sends the remaining spans while the rest stops.
    if let Some(exporter) = &app.traces {
        exporter.stop();
    }
    jobs.abort();
    uses.abort();
    roles.abort();
    setup_link.abort();
    backups.abort();
    app.backups.backups.stop().await;
    // Running deliveries time out on their own; those without a stored outcome are retried.
    let _ = tokio::time::timeout(WEBHOOKS_TIME, webhooks).await;
    // So does a visit, which is made again.
    let _ = tokio::time::timeout(WEBHOOKS_TIME, discord).await;
    // A command under way has a time limit of its own.
    let _ = commands.await;
    let _ = ban_commands.await;
    if let Err(error) = accounts::sessions::write_uses(&app.sessions).await {
        tracing::warn!(%error, "the last uses of sessions were not written");
    }
    if let Err(error) = write_uses(&app.kernel.core, &app.kernel.keys).await {
        tracing::warn!(%error, "the last uses of keys were not written");
    }
    // The exporter limits its own time.
    if let Some(traces) = traces {
        let _ = traces.await;
    }
    poller.abort();
    recorder.abort();
    if let Some(reloader) = reloader {
        reloader.abort();
    }
    tracing::info!("stopped");
    Ok(())
}

/// The settings of the options, as far as the limit of open files allows.
fn settings(options: &Options, metrics: Metrics) -> Result<Settings> {
    let mut limits = options.limits();
    let for_metrics = options.metrics_listen.map_or(0, |_| METRICS_CONNECTIONS);
    let others = options.other_files() + for_metrics;
    open_files::fit(&mut limits, open_files::raise_limit(), others)?;
    Ok(Settings {
        metrics,
        limits,
        password_cost: Cost::default(),
        live: options.live(),
        backups: options.backups(),
        webhooks: options.webhooks(),
        grants: options.grants(),
        sign_in: startup::sign_in(options)?,
        discord: options.discord(),
        otlp_endpoint: options.otlp_endpoint.clone(),
    })
}

/// A bound port that refuses connections until the service is ready.
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
            // Connections of the previous process may still be closing.
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

/// Prints the first line of standard output, which tells scripts that the service is ready.
fn announce(origin: &str) -> std::result::Result<(), String> {
    // A closed pipe is a failure here: a service that cannot announce itself has not started.
    print_line!("listening on {origin}").map_err(|error| error.to_string())
}

/// Prints the first key. It is never shown again.
fn show_first_key(origin: &str, value: &KeyValue) {
    let value = value.reveal();
    print_remark!(
        "\nThis is the first key. It may do everything, and it is shown only this once:\n\n    \
         {value}\n\nTry it:\n\n    curl -H 'X-API-Key: {value}' {origin}/api/status\n"
    );
}

/// Prints the link of the first setup. It is never shown again.
fn show_setup_link(link: &str) {
    print_remark!(
        "To use the console, open this link within {SETUP_HOURS} hours, and choose a name and a \
         password:\n\n    {link}\n"
    );
}

/// The kind of stop that the operator has requested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    No,
    /// Stops once load balancers have noticed.
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
                // An interrupt ends the drain.
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
