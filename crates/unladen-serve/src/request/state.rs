//! The principal type is [`RequestState`]: what is known of a request so far, even when it is cut off.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use unladen_observability::{Cause, Reuse, Version};
use unladen_pool::{Endpoint, InFlight};

use crate::limits::queue::Place;
use crate::request::fetched::Fetched;
use crate::request::phase::Phase;
use crate::request::said::Said;

#[derive(Debug)]
pub(crate) struct RequestState<'a> {
    /// Its place among those in flight; whoever ends it reports the outcome to the breaker.
    pub(crate) in_flight: RefCell<Option<InFlight<'a>>>,
    pub(crate) place: RefCell<Option<Place<'a>>>,
    /// Its client has left, while the application still works on it.
    pub(crate) is_left: Cell<bool>,
    pub(crate) phase: Cell<Phase>,
    pub(crate) status: Cell<u16>,
    pub(crate) attempts: Cell<u32>,
    pub(crate) reuse: Cell<Reuse>,
    pub(crate) endpoint: RefCell<Option<Arc<Endpoint>>>,
    pub(crate) upstream_version: Cell<Option<Version>>,
    pub(crate) queued: Cell<Option<Duration>>,
    pub(crate) connected: Cell<Option<Duration>>,
    pub(crate) first_byte: Cell<Option<Duration>>,
    pub(crate) bytes_in: Cell<u64>,
    pub(crate) bytes_out: Cell<u64>,
    /// FastCGI output besides the answer.
    pub(crate) said: Said,
    pub(crate) cause: RefCell<Option<Box<Cause>>>,
    /// Record of the waiting request, if this is a fetch.
    pub(crate) fetched: Option<Rc<Fetched>>,
}

impl RequestState<'_> {
    pub(crate) fn new(fetched: Option<Rc<Fetched>>) -> Self {
        Self {
            in_flight: RefCell::new(None),
            place: RefCell::new(None),
            is_left: Cell::new(false),
            phase: Cell::new(Phase::Admitting),
            status: Cell::new(0),
            attempts: Cell::new(0),
            reuse: Cell::new(Reuse::None),
            endpoint: RefCell::new(None),
            upstream_version: Cell::new(None),
            queued: Cell::new(None),
            connected: Cell::new(None),
            first_byte: Cell::new(None),
            bytes_in: Cell::new(0),
            bytes_out: Cell::new(0),
            said: Said::default(),
            cause: RefCell::new(None),
            fetched,
        }
    }

    /// Publishes the state to the waiting request, before it can learn of the answer.
    pub(crate) fn show(&self) {
        if let Some(fetched) = &self.fetched {
            fetched.endpoint.replace(self.endpoint.borrow().clone());
            fetched.upstream_version.set(self.upstream_version.get());
            fetched.reuse.set(self.reuse.get());
            fetched.attempts.set(self.attempts.get());
            fetched.cause.replace(self.cause.borrow().clone());
        }
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.status.get() >= 200 || self.status.get() == 101
    }
}
