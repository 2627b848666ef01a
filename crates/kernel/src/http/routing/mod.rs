//! Routes whose operations have names, which the OpenAPI document and generated clients show.
//!
//! With the feature `openapi` the routes describe their operations as well. Without it the names are
//! dropped, and only axum's routes remain.

#[cfg(feature = "openapi")]
mod described;
#[cfg(not(feature = "openapi"))]
mod plain;

#[cfg(feature = "openapi")]
pub use self::described::{
    ApiRouter, TransformOperation, delete_with, failing, get_with, named, named_failing, post_with,
    put_with, without_descriptions,
};
#[cfg(not(feature = "openapi"))]
pub use self::plain::{
    ApiRouter, TransformOperation, delete_with, failing, get_with, named, named_failing, post_with,
    put_with, without_descriptions,
};

/// Why a reply that reveals a secret is not repeated under its `Idempotency-Key`.
pub const SECRET_REPLY: &str = "The request was carried out before, under this `Idempotency-Key`, and \
                                its reply cannot be read with the key's new value.";
