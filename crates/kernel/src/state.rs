//! `Kernel`: the state that the request handlers of all slices share.

use std::ops::Deref;
use std::sync::Arc;

use crate::auth::{KeyRing, WrongKeys};
use crate::readiness::Readiness;
use crate::{Core, Limits, SpanQueue};

/// Core, API keys and limits. Cheap to clone.
#[derive(Clone)]
pub struct Kernel(Arc<KernelParts>);

pub struct KernelParts {
    pub core: Core,
    pub keys: KeyRing,
    pub wrong_keys: WrongKeys,
    pub limits: Limits,
    pub readiness: Readiness,
    /// The queue of request spans, if traces are exported.
    pub spans: Option<SpanQueue>,
}

impl Kernel {
    pub fn new(core: Core, limits: Limits, spans: Option<SpanQueue>) -> Self {
        Self(Arc::new(KernelParts {
            keys: KeyRing::default(),
            wrong_keys: WrongKeys::new(limits.wrong_keys_per_minute, &core.metrics),
            limits,
            core,
            readiness: Readiness::default(),
            spans,
        }))
    }
}

impl Deref for Kernel {
    type Target = KernelParts;

    fn deref(&self) -> &KernelParts {
        &self.0
    }
}
