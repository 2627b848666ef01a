//! Drives the connections. Each sends its next request when the previous one is answered, or later
//! if the run has a rate.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::response::{Response, parse};
use crate::spec::Spec;
use crate::tally::{Bodies, Summary, Tally};
use crate::template::{Sources, Template};

/// The fewest requests for a meaningful median. A run continues until it has that many, and at
/// least one per connection: otherwise only the fastest requests would be counted.
const MIN_REQUESTS: usize = 5;
/// How long a run is extended to reach one request per connection.
const MAX_EXTENSION: Duration = Duration::from_secs(10);
/// A run ends after this many errors.
const MAX_ERRORS: u64 = 20;
/// How long a run may take beyond its time before it is aborted.
const GRACE_PERIOD: Duration = Duration::from_secs(60);
/// The number of bytes of an unexpected answer that are shown.
const MAX_SHOWN: usize = 300;

pub async fn run(mut spec: Spec) -> Result<Summary, String> {
    let mut templates = Vec::new();
    let mut shares = Vec::new();
    for (number, request) in spec.requests.iter().enumerate() {
        templates.push(Template::new(request, &spec)?);
        shares.extend(std::iter::repeat_n(number, request.weight as usize));
    }
    if shares.is_empty() {
        return Err("the specification has no requests".into());
    }
    let burst = match &spec.burst {
        Some(burst) => Some((burst.count, Template::new(&burst.request, &spec)?)),
        None => None,
    };
    let mut connections = Vec::new();
    for _ in 0..spec.connections {
        connections.push(Connection::open(spec.address).await?);
    }
    let begin = Instant::now() + Duration::from_secs_f64(spec.warm_up);
    let run = Rc::new(Run {
        address: spec.address,
        connections: spec.connections,
        begin,
        end: match &burst {
            Some(_) => None,
            None => Some(begin + Duration::from_secs_f64(spec.seconds)),
        },
        ended: Cell::new(None),
        last_counted: Cell::new(begin),
        values_used_up: Cell::new(false),
        tally: RefCell::new(Tally {
            by_request: vec![Bodies::default(); templates.len()],
            ..Tally::default()
        }),
        next: Cell::new(Instant::now()),
        interval: spec
            .per_second
            .map(|rate| Duration::from_secs_f64(1.0 / rate)),
        sources: RefCell::new(Sources::new(&mut spec)),
        templates,
        shares,
        burst,
    });
    let mut tasks = JoinSet::new();
    for connection in connections {
        tasks.spawn_local(Rc::clone(&run).keep_busy(connection));
    }
    if run.burst.is_some() {
        tasks.spawn_local(Rc::clone(&run).send_burst());
    }
    let time_limit = Duration::from_secs_f64(spec.warm_up + spec.seconds) + GRACE_PERIOD;
    if tokio::time::timeout(time_limit, tasks.join_all())
        .await
        .is_err()
    {
        run.finish(Instant::now());
        let message = format!("some requests were not answered within {time_limit:?}");
        run.tally.borrow_mut().error(message);
    }
    let measured = run.ended.get().unwrap_or(begin);
    let measured = measured.saturating_duration_since(begin);
    Ok(run.tally.take().summary(measured, run.values_used_up.get()))
}

struct Run {
    address: SocketAddr,
    connections: usize,
    /// When measuring begins.
    begin: Instant,
    /// When measuring ends; `None` if it ends with the burst.
    end: Option<Instant>,
    ended: Cell<Option<Instant>>,
    last_counted: Cell<Instant>,
    values_used_up: Cell<bool>,
    /// When the next request is due, if the run has a rate.
    next: Cell<Instant>,
    /// The time from one request to the next.
    interval: Option<Duration>,
    tally: RefCell<Tally>,
    sources: RefCell<Sources>,
    templates: Vec<Template>,
    /// The index of each template, repeated by its weight.
    shares: Vec<usize>,
    burst: Option<(usize, Template)>,
}

impl Run {
    fn finish(&self, now: Instant) {
        if self.ended.get().is_none() {
            self.ended.set(Some(now));
        }
    }

    async fn keep_busy(self: Rc<Self>, mut connection: Connection) {
        while self.ended.get().is_none() {
            let was_due = self.wait_for_turn().await;
            let number = {
                let mut sources = self.sources.borrow_mut();
                let number = self.shares[sources.random_below(self.shares.len() as u64) as usize];
                let template = &self.templates[number];
                if template
                    .fill(&mut sources, &mut connection.request)
                    .is_err()
                {
                    self.values_used_up.set(true);
                    self.finish(Instant::now());
                    return;
                }
                number
            };
            // A request that waited for a free connection has been waiting since it was due.
            let sent = was_due.unwrap_or_else(Instant::now);
            let answer = connection.send().await;
            let now = Instant::now();
            match answer {
                Ok(response) => self.count(number, &connection, response, sent, now),
                Err(error) => {
                    self.fault(format!("{}: {error}", self.templates[number].name), now);
                    match Connection::open(self.address).await {
                        Ok(new) => connection = new,
                        Err(error) => {
                            self.fault(error, now);
                            self.finish(now);
                        }
                    }
                }
            }
        }
    }

    /// Waits until the next request is due, if the run has a rate. Returns when that was if no
    /// connection was free then.
    async fn wait_for_turn(&self) -> Option<Instant> {
        let interval = self.interval?;
        let due = self.next.get();
        self.next.set(due + interval);
        if due < Instant::now() {
            return Some(due);
        }
        tokio::time::sleep_until(due.into()).await;
        None
    }

    fn count(
        &self,
        number: usize,
        connection: &Connection,
        response: Response,
        sent: Instant,
        now: Instant,
    ) {
        let template = &self.templates[number];
        if response.status != template.status {
            self.fault(connection.unexpected(template, &response), now);
            return;
        }
        if response.last_on_connection {
            self.fault(
                format!("{}: the server closes the connection", template.name),
                now,
            );
        }
        let mut tally = self.tally.borrow_mut();
        tally.all += 1;
        let bodies = &mut tally.by_request[number];
        bodies.count += 1;
        bodies.bytes += response.body_bytes as u64;
        if now < self.begin || self.ended.get().is_some() {
            return;
        }
        if let Some(end) = self.end.filter(|end| now >= *end) {
            let needed = if now < end + MAX_EXTENSION {
                MIN_REQUESTS.max(self.connections)
            } else {
                MIN_REQUESTS
            };
            if tally.times.len() >= needed {
                self.finish(end.max(self.last_counted.get()));
                return;
            }
        }
        self.last_counted.set(now);
        tally.times.push((now - sent).as_nanos() as u64);
    }

    fn fault(&self, message: String, now: Instant) {
        let mut tally = self.tally.borrow_mut();
        tally.error(message);
        if tally.errors >= MAX_ERRORS {
            self.finish(now);
        }
    }

    async fn send_burst(self: Rc<Self>) {
        tokio::time::sleep_until(self.begin.into()).await;
        let mut requests = JoinSet::new();
        let count = self.burst.as_ref().map_or(0, |(count, _)| *count);
        for _ in 0..count {
            requests.spawn_local(Rc::clone(&self).send_one_of_burst());
        }
        requests.join_all().await;
        self.finish(Instant::now());
    }

    async fn send_one_of_burst(self: Rc<Self>) {
        let Some((_, template)) = &self.burst else {
            return;
        };
        let outcome = async {
            let mut connection = Connection::open(self.address).await?;
            let filled = template.fill(&mut self.sources.borrow_mut(), &mut connection.request);
            filled.map_err(|_| "no more values for the burst".to_owned())?;
            let response = connection.send().await.map_err(|error| error.to_string())?;
            if response.status != template.status {
                return Err(connection.unexpected(template, &response));
            }
            Ok(())
        };
        if let Err(message) = outcome.await {
            self.fault(message, Instant::now());
        }
    }
}

struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    read: Vec<u8>,
}

impl Connection {
    async fn open(address: SocketAddr) -> Result<Self, String> {
        let stream = TcpStream::connect(address).await;
        let stream = stream.map_err(|error| format!("cannot connect to {address}: {error}"))?;
        let _ = stream.set_nodelay(true);
        Ok(Self {
            stream,
            request: Vec::new(),
            read: Vec::with_capacity(16 << 10),
        })
    }

    async fn send(&mut self) -> io::Result<Response> {
        self.stream.write_all(&self.request).await?;
        self.read.clear();
        loop {
            if self.stream.read_buf(&mut self.read).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let parsed = parse(&self.read).map_err(io::Error::other)?;
            if let Some(response) = parsed {
                if response.bytes < self.read.len() {
                    return Err(io::Error::other("received more than one answer"));
                }
                return Ok(response);
            }
        }
    }

    fn unexpected(&self, template: &Template, response: &Response) -> String {
        let body = &self.read[response.bytes.saturating_sub(response.body_bytes)..];
        let body = String::from_utf8_lossy(&body[..body.len().min(MAX_SHOWN)]);
        let (name, wanted, status) = (&template.name, template.status, response.status);
        format!("{name} was answered with {status} instead of {wanted}: {body}")
    }
}
