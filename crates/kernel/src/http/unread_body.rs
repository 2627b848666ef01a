//! Bodies that no handler read to the end. They must be received before the connection can be used
//! for another request.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::header::EXPECT;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;

/// Bytes of a body that are received only to be discarded. Beyond that, closing the connection costs
/// less.
const DISCARDED_BYTES: u64 = 64 << 10;

/// Tracks whether the body of a request was received.
pub struct BodyWatch {
    state: Arc<Mutex<State>>,
    /// The client sends the body only after `100 Continue`, so nothing may have been sent.
    waits_for_continue: bool,
}

enum State {
    Held,
    Ended,
    Dropped(Body),
}

impl BodyWatch {
    /// Starts watching the body. `None` for a request without one.
    pub fn start(request: &mut Request) -> Option<Self> {
        if request.body().is_end_stream() {
            return None;
        }
        let state = Arc::new(Mutex::new(State::Held));
        let body = std::mem::take(request.body_mut());
        *request.body_mut() = Body::new(Watched {
            body: Some(body),
            state: Arc::clone(&state),
        });
        Some(Self {
            state,
            waits_for_continue: request.headers().contains_key(EXPECT),
        })
    }

    /// Receives the rest of the body, if it is small and arrives in time. Returns whether its end was
    /// reached.
    pub async fn finish(self, time: Duration) -> bool {
        let state = std::mem::replace(&mut *self.state.lock(), State::Held);
        match state {
            State::Ended => true,
            State::Dropped(body) if !self.waits_for_continue => {
                let discarded = tokio::time::timeout(time, discard(body));
                discarded.await.unwrap_or(false)
            }
            State::Dropped(_) | State::Held => false,
        }
    }
}

async fn discard(mut body: Body) -> bool {
    if body.size_hint().lower() > DISCARDED_BYTES {
        return false;
    }
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return false;
        };
        size += frame.data_ref().map_or(0, Bytes::len) as u64;
        if size > DISCARDED_BYTES {
            return false;
        }
    }
    true
}

/// A body that reports its end, or hands over the rest when it is dropped.
struct Watched {
    body: Option<Body>,
    state: Arc<Mutex<State>>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(body).poll_frame(cx);
        if let Poll::Ready(None) = polled {
            self.body = None;
            *self.state.lock() = State::Ended;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let exactly_none = || SizeHint::with_exact(0);
        self.body
            .as_ref()
            .map_or_else(exactly_none, Body::size_hint)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(body) = self.body.take() {
            *self.state.lock() = State::Dropped(body);
        }
    }
}
