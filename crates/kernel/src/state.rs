//! `Kernel`: the state that every request handler can reach, whatever its slice.

use std::ops::Deref;
use std::sync::Arc;

use crate::auth::{KeyRing, WrongKeys};
use crate::readiness::Readiness;
use crate::{Core, Limits, Metrics, SpanQueue};

/// Core, API keys, limits and metrics. Cheap to clone.
#[derive(Clone)]
pub struct Kernel(Arc<Parts>);

pub struct Parts {
    pub core: Core,
    pub keys: KeyRing,
    pub wrong_keys: WrongKeys,
    pub limits: Limits,
    pub metrics: Metrics,
    pub readiness: Readiness,
    /// Where requests leave their spans, if these are exported.
    pub spans: Option<SpanQueue>,
}

impl Kernel {
    pub fn new(core: Core, limits: Limits, spans: Option<SpanQueue>) -> Self {
        // First: a metric that is registered earlier is lost.
        let metrics = Metrics::install();
        Self(Arc::new(Parts {
            core,
            keys: KeyRing::default(),
            wrong_keys: WrongKeys::new(limits.wrong_keys_per_minute),
            limits,
            metrics,
            readiness: Readiness::default(),
            spans,
        }))
    }
}

impl Deref for Kernel {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// Lets a kernel be passed where a core is expected.
impl Deref for Parts {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}
