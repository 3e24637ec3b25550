//! The principal type is [`Fetched`]: what a request that waits for a fetch logs of it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use unladen_observability::{Cause, Reuse, Version};
use unladen_pool::Endpoint;

/// State of a fetch: a separate request to the application, in a task of its own, which goes on when its client leaves.
/// The client's request that started it logs it in its own record.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) endpoint: RefCell<Option<Arc<Endpoint>>>,
    pub(crate) upstream_version: Cell<Option<Version>>,
    pub(crate) reuse: Cell<Reuse>,
    pub(crate) attempts: Cell<u32>,
    /// As the application was told.
    pub(crate) request_id: RefCell<Vec<u8>>,
    pub(crate) cause: RefCell<Option<Box<Cause>>>,
}

impl Default for Fetched {
    fn default() -> Self {
        Self {
            endpoint: RefCell::default(),
            upstream_version: Cell::default(),
            reuse: Cell::new(Reuse::None),
            attempts: Cell::default(),
            request_id: RefCell::default(),
            cause: RefCell::default(),
        }
    }
}
