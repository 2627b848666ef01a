//! Answers a connection above a limit and closes it, so that the client need not wait. Probes are
//! served, so that clients that hold all connections do not make the service look dead; every other
//! request gets 503.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;

use super::head_scan::{Ambiguous, HeadScan};
use super::lingering_close::LingeringClose;
use super::secure::{self, Shared};
use super::slots::{Full, Slots};
use super::write_timeout::WriteTimeout;
use super::{configure, record_refused_head, service};
use crate::http::{error, middleware};
use crate::{Error, Kernel};

/// How long the head of a request may take to arrive.
const HEAD_TIME: Duration = Duration::from_secs(1);
/// How long a connection may take. A probe may wait for the database.
const TOTAL_TIME: Duration = Duration::from_secs(15);

/// Limits the number of refusals, which take file descriptors as well. Cheap to clone.
#[derive(Clone)]
pub struct Refusals {
    shared: Arc<Shared>,
    permits: Arc<Semaphore>,
}

impl Refusals {
    /// `shared` is the state of connections that are not refused.
    pub fn new(shared: &Shared) -> Self {
        let limits = &shared.kernel.limits;
        let mut http1 = shared.http1.clone();
        http1.keep_alive(false).header_read_timeout(HEAD_TIME);
        Self {
            permits: Arc::new(Semaphore::new(limits.refusals)),
            shared: Arc::new(Shared {
                kernel: shared.kernel.clone(),
                router: shared.router.clone(),
                http1,
                pace: shared.pace,
                requests: Slots::none(),
                probes: Arc::clone(&shared.probes),
                serves_probes_only: true,
            }),
        }
    }

    /// Above the limit of refusals, the connection is closed without an answer.
    pub fn refuse(
        &self,
        reason: Full,
        stream: TcpStream,
        acceptor: Option<TlsAcceptor>,
        peer: SocketAddr,
        stop: watch::Receiver<bool>,
    ) {
        let labels = [("limit", reason.label())];
        let metrics = &self.shared.kernel.core.metrics;
        let refused = metrics.counter("steward_connections_refused_total", &labels);
        refused.increment(1);
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            return;
        };
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            configure(&stream);
            let stream = WriteTimeout::new(stream, shared.pace);
            let serving = async {
                match acceptor {
                    Some(acceptor) => secure::serve(&shared, acceptor, stream, peer, stop).await,
                    None => serve(&shared, stream, peer).await,
                }
            };
            let _ = tokio::time::timeout(TOTAL_TIME, serving).await;
            drop(permit);
        });
    }
}

async fn serve(shared: &Shared, stream: WriteTimeout, peer: SocketAddr) {
    let (ambiguous, requests) = (Ambiguous::default(), stream.requests());
    let stream = HeadScan::new(LingeringClose::new(stream), ambiguous.clone());
    let service = service(shared, peer, false, ambiguous, requests);
    let connection = shared.http1.serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        record_refused_head(&shared.kernel.core.metrics, &error);
    }
}

/// The answer to a request above a limit.
pub fn busy(kernel: &Kernel) -> Response {
    let request_id = kernel.core.new_request_id();
    let mut response = error::render(Response::default(), &Error::Busy, &request_id, false);
    middleware::add_headers(response.headers_mut(), &request_id);
    response
}
