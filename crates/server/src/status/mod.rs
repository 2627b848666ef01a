//! What a caller can learn about the service and about itself.

pub mod http;
