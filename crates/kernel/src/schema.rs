//! [`JsonSchema`]: which types the OpenAPI document can describe.
//!
//! The document is generated with the feature `openapi`, which the tests and the generator have. The
//! program is built without it and contains no schemas: the derive generates nothing, and all types
//! meet the bound.

#[cfg(not(feature = "openapi"))]
pub use no_schema::JsonSchema;
#[cfg(feature = "openapi")]
pub use schemars::JsonSchema;

/// The properties of a schema, for macros of this crate.
#[cfg(feature = "openapi")]
pub type Properties = serde_json::Map<String, serde_json::Value>;

#[cfg(not(feature = "openapi"))]
pub trait JsonSchema {}

#[cfg(not(feature = "openapi"))]
impl<T: ?Sized> JsonSchema for T {}

/// For macros of this crate: items that exist only with the feature `openapi` of this crate. A `cfg`
/// in a macro would ask for the features of the crate that uses it.
#[cfg(feature = "openapi")]
#[macro_export]
macro_rules! described {
    ($($items:item)*) => { $($items)* };
}

#[cfg(not(feature = "openapi"))]
#[macro_export]
macro_rules! described {
    ($($items:item)*) => {};
}
