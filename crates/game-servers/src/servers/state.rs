use std::sync::Arc;

use super::live::Querier;
use kernel::Kernel;

/// The state of the slice. Cheap to clone.
#[derive(Clone)]
pub struct State {
    pub kernel: Kernel,
    pub live: Arc<Querier>,
}
