//! The same functions and types as in `described.rs`, as far as slices use them. They drop what
//! describes an operation.

use std::marker::PhantomData;

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodRouter, delete, get, post, put};

pub struct ApiRouter<S>(Router<S>);

impl<S: Clone + Send + Sync + 'static> ApiRouter<S> {
    #[allow(clippy::new_without_default, reason = "as in aide")]
    pub fn new() -> Self {
        Self(Router::new())
    }

    pub fn api_route(self, path: &str, methods: ApiMethodRouter<S>) -> Self {
        Self(self.0.route(path, methods.0))
    }

    pub fn merge(self, other: Self) -> Self {
        Self(self.0.merge(other.0))
    }

    pub fn with_path_items(self, _: impl FnOnce(PathItem) -> PathItem) -> Self {
        self
    }
}

impl<S> From<ApiRouter<S>> for Router<S> {
    fn from(routes: ApiRouter<S>) -> Self {
        routes.0
    }
}

pub fn without_descriptions(make: impl FnOnce()) {
    make();
}

/// The operations of a path.
pub struct PathItem;

impl PathItem {
    pub fn tag(self, _: &str) -> Self {
        self
    }
}

/// An operation, of which nothing is described.
pub struct TransformOperation<'t>(PhantomData<&'t ()>);

pub fn named(
    _: &'static str,
    _: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    |operation| operation
}

pub fn named_failing(
    _: &'static str,
    _: &'static str,
    _: u16,
    _: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    |operation| operation
}

pub fn failing<'t>(operation: TransformOperation<'t>, _: u16, _: &str) -> TransformOperation<'t> {
    operation
}

/// The methods of a path.
pub struct ApiMethodRouter<S>(MethodRouter<S>);

/// Each method, as a function that begins the methods of a path and as one that adds to them.
macro_rules! methods {
    ($($method:ident $method_with:ident),*) => {
        $(
            pub fn $method_with<H, T, S, D>(handler: H, _: D) -> ApiMethodRouter<S>
            where
                H: Handler<T, S>,
                T: 'static,
                S: Clone + Send + Sync + 'static,
                D: FnOnce(TransformOperation<'_>) -> TransformOperation<'_>,
            {
                ApiMethodRouter($method(handler))
            }
        )*

        impl<S: Clone + Send + Sync + 'static> ApiMethodRouter<S> {
            $(
                pub fn $method_with<H, T, D>(self, handler: H, _: D) -> Self
                where
                    H: Handler<T, S>,
                    T: 'static,
                    D: FnOnce(TransformOperation<'_>) -> TransformOperation<'_>,
                {
                    Self(self.0.$method(handler))
                }
            )*
        }
    };
}

methods!(get get_with, post post_with, put put_with, delete delete_with);
