//! The principal type is [`Context`]: what the connections of one thread share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::Notify;
use unladen_http1::{Fields, Request, Response};
use unladen_observability::{Observability, ThreadSeeing};

use crate::limits::Idle;
use crate::limits::budget::Budget;

pub(crate) struct Context {
    pub(crate) thread: usize,
    pub(crate) observability: ThreadSeeing,
    /// Bounds what is held for clients.
    pub(crate) budget: Arc<Budget>,
    /// Share of the requests without a sampling decision that is traced; `None` if there are no traces.
    pub(crate) trace_sample: Cell<Option<f64>>,
    /// Whether each answer is to be its connection's last.
    pub(crate) is_draining: Cell<bool>,
    /// Whether clients are accepted while it drains.
    pub(crate) is_leaving: Cell<bool>,
    /// Notified when draining begins, and when no more clients are accepted.
    pub(crate) drain: Notify,
    /// Notified when connections waiting for a request are to be closed.
    pub(crate) close_idle: Notify,
    pub(crate) idle: Idle,
    pub(crate) connections: Cell<usize>,
    #[allow(clippy::vec_box, reason = "they are handed out and back with each request, which moves a pointer")]
    spare_buffers: RefCell<Vec<Box<Buffers>>>,
}

#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) request: Request,
    pub(crate) response: Response,
    pub(crate) request_id: Vec<u8>,
    pub(crate) up: Vec<u8>,
    pub(crate) down: Vec<u8>,
    /// Cache key, of a site.
    pub(crate) key: Vec<u8>,
    pub(crate) variant: Vec<u8>,
    /// Fields to add to the answer.
    pub(crate) more: Fields,
}

/// Most buffers kept for reuse.
const KEPT: usize = 64;
/// Capacity in bytes above which a buffer is shrunk before reuse.
const LARGEST: usize = 64 * 1024;

impl Context {
    pub(crate) fn new(thread: usize, observability: &Arc<Observability>, budget: Arc<Budget>) -> Rc<Self> {
        Rc::new(Self {
            thread,
            observability: observability.thread(thread),
            budget,
            trace_sample: Cell::new(None),
            is_draining: Cell::new(false),
            is_leaving: Cell::new(false),
            drain: Notify::new(),
            close_idle: Notify::new(),
            idle: Idle::default(),
            connections: Cell::new(0),
            spare_buffers: RefCell::default(),
        })
    }

    pub(crate) fn buffers(&self) -> Box<Buffers> {
        self.spare_buffers.borrow_mut().pop().unwrap_or_default()
    }

    pub(crate) fn give_back(&self, mut buffers: Box<Buffers>) {
        buffers.up.clear();
        buffers.down.clear();
        buffers.up.shrink_to(LARGEST);
        buffers.down.shrink_to(LARGEST);
        let mut spare_buffers = self.spare_buffers.borrow_mut();
        if spare_buffers.len() < KEPT {
            spare_buffers.push(buffers);
        }
    }
}
