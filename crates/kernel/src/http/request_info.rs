use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use axum::http::Extensions;
use parking_lot::Mutex;

use crate::auth::Quota;

/// The data of a request for the log and the response, shared by its extractors.
#[derive(Clone, Debug, Default)]
pub struct RequestInfo(pub(super) Arc<Info>);

#[derive(Debug, Default)]
pub(super) struct Info {
    pub id: String,
    pub client_id: Option<String>,
    pub trace_id: Option<String>,
    pub ip: Option<IpAddr>,
    pub is_secure: bool,
    pub key_id: OnceLock<i64>,
    pub user_id: OnceLock<i64>,
    pub quota: OnceLock<Quota>,
    /// Preferences of the client that were applied.
    pub applied: Mutex<Vec<&'static str>>,
}

impl RequestInfo {
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_default()
    }

    /// The id that the service generated, for the audit log and the log.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The valid id that the client sent.
    pub fn client_id(&self) -> Option<&str> {
        self.0.client_id.as_deref()
    }

    /// The trace of the request, if the client sent one or traces are exported.
    pub fn trace_id(&self) -> Option<&str> {
        self.0.trace_id.as_deref()
    }

    /// The id in the response: the client's, if there is one.
    pub fn shown_id(&self) -> &str {
        self.client_id().unwrap_or(self.id())
    }

    pub fn ip(&self) -> Option<IpAddr> {
        self.0.ip
    }

    /// Returns `true` if the client uses TLS, to this process or to a trusted proxy.
    pub fn is_secure(&self) -> bool {
        self.0.is_secure
    }

    pub fn record_key(&self, id: i64) {
        let _ = self.0.key_id.set(id);
    }

    pub fn record_operator(&self, user_id: i64) {
        let _ = self.0.user_id.set(user_id);
    }

    /// Sets the rate limit headers of the response.
    pub fn record_quota(&self, quota: Quota) {
        let _ = self.0.quota.set(quota);
    }

    /// Reports in the response that a preference of the client was applied (RFC 7240).
    pub fn record_preference(&self, preference: &'static str) {
        let mut applied = self.0.applied.lock();
        if !applied.contains(&preference) {
            applied.push(preference);
        }
    }
}
