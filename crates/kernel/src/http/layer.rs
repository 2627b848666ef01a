//! Wraps every route in the middleware. Written by hand, because `axum::middleware::from_fn` boxes
//! the route and its future once more for each request.

use std::convert::Infallible;
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::response::Response;
use axum::routing::Route;
use futures_util::future::BoxFuture;
use tower::{Layer, Service};

use super::middleware;
use crate::Kernel;

#[derive(Clone)]
pub struct Middleware(pub Kernel);

impl Layer<Route> for Middleware {
    type Service = Wrapped;

    fn layer(&self, route: Route) -> Wrapped {
        Wrapped {
            kernel: self.0.clone(),
            route,
        }
    }
}

/// A route wrapped in the middleware.
#[derive(Clone)]
pub struct Wrapped {
    kernel: Kernel,
    route: Route,
}

impl Service<Request> for Wrapped {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // A route is always ready.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let (kernel, route) = (self.kernel.clone(), self.route.clone());
        Box::pin(middleware::handle(kernel, request, route))
    }
}

/// Runs the route.
pub async fn run(mut route: Route, request: Request) -> Response {
    match route.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}
