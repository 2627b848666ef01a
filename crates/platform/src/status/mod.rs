//! The status of the service, and the permissions of the calling key.

pub mod http;
