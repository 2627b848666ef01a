pub use aide::axum::ApiRouter;
pub use aide::axum::routing::{delete_with, get_with, post_with, put_with};
pub use aide::transform::TransformOperation;

use crate::http::openapi::{add_error, set_describing};

/// Calls a function that makes routes. They are not described: that would take longer than the rest
/// of the start.
pub fn without_descriptions(make: impl FnOnce()) {
    set_describing(false);
    make();
}

/// Names an operation for people and for generated clients.
pub fn named(
    id: &'static str,
    summary: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    move |operation| operation.id(id).summary(summary)
}

/// The same, for an operation that can also fail in a way of its own.
pub fn named_failing(
    id: &'static str,
    summary: &'static str,
    status: u16,
    why: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    move |operation| failing(named(id, summary)(operation), status, why)
}

/// Adds one more way to fail.
pub fn failing<'t>(
    mut operation: TransformOperation<'t>,
    status: u16,
    why: &str,
) -> TransformOperation<'t> {
    add_error(operation.inner_mut(), status, why);
    operation
}
