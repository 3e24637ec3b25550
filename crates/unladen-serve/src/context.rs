//! The principal type is [`Context`]: what the connections of one thread share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::Notify;
use unladen_http1::{Fields, Request, Response};

use crate::beside::Beside;
use crate::front::Front;
use crate::plan::Planned;
use crate::seeing::{ThreadSeeing, UpstreamIndex};

/// What the connections of one thread share.
pub(crate) struct Context {
    /// The thread's number.
    pub(crate) thread: usize,
    pub(crate) seeing: ThreadSeeing,
    /// Whether traces are made at all, and of which share of the requests that bring no decision.
    pub(crate) trace_sample: Cell<Option<f64>>,
    /// Whether each answer is to be its connection's last.
    pub(crate) is_draining: Cell<bool>,
    /// Told when that begins.
    pub(crate) drain: Notify,
    /// Told when connections that wait for a request are to be closed.
    pub(crate) close_idle: Notify,
    /// Connections there are.
    pub(crate) connections: Cell<usize>,
    #[allow(clippy::vec_box, reason = "they are handed out and back with each request, which moves a pointer")]
    scratches: RefCell<Vec<Box<Scratch>>>,
}

/// Where a listener's connections lead now: replaced by a reload.
pub(crate) struct Slot {
    pub(crate) beside: RefCell<Arc<Beside>>,
    /// If it is in front of an application.
    pub(crate) front: RefCell<Option<Arc<Front>>>,
    /// Whether clients are only sent on to https.
    pub(crate) redirects: bool,
    pub(crate) index: Cell<UpstreamIndex>,
    /// Whether nothing more is to be accepted; told when it begins.
    pub(crate) is_stopping: Cell<bool>,
    pub(crate) stop: Notify,
}

impl Slot {
    pub(crate) fn new(planned: &Planned, redirects: bool, index: UpstreamIndex) -> Self {
        Self {
            beside: RefCell::new(planned.beside.clone()),
            front: RefCell::new(planned.front.clone()),
            redirects,
            index: Cell::new(index),
            is_stopping: Cell::new(false),
            stop: Notify::new(),
        }
    }
}

/// Memory for one request at a time.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) request: Request,
    pub(crate) response: Response,
    pub(crate) request_id: Vec<u8>,
    /// To the upstream.
    pub(crate) up: Vec<u8>,
    /// To the client.
    pub(crate) down: Vec<u8>,
    /// Of a front: what a response is found by …
    pub(crate) key: Vec<u8>,
    /// … and its variant.
    pub(crate) variant: Vec<u8>,
    /// What an answer gets besides.
    pub(crate) more: Fields,
}

/// So many are kept.
const KEPT: usize = 64;
/// What a request has blown up beyond this is given back.
const LARGEST: usize = 64 * 1024;

impl Context {
    pub(crate) fn new(thread: usize, seeing: ThreadSeeing) -> Rc<Self> {
        Rc::new(Self {
            thread,
            seeing,
            trace_sample: Cell::new(None),
            is_draining: Cell::new(false),
            drain: Notify::new(),
            close_idle: Notify::new(),
            connections: Cell::new(0),
            scratches: RefCell::default(),
        })
    }

    pub(crate) fn scratch(&self) -> Box<Scratch> {
        self.scratches.borrow_mut().pop().unwrap_or_default()
    }

    pub(crate) fn give_back(&self, mut scratch: Box<Scratch>) {
        scratch.up.clear();
        scratch.down.clear();
        scratch.up.shrink_to(LARGEST);
        scratch.down.shrink_to(LARGEST);
        let mut scratches = self.scratches.borrow_mut();
        if scratches.len() < KEPT {
            scratches.push(scratch);
        }
    }
}

/// A connection of a client: counted as long as it is there.
pub(crate) struct Visit {
    context: Rc<Context>,
    beside: Arc<Beside>,
    index: UpstreamIndex,
}

impl Visit {
    pub(crate) fn new(context: &Rc<Context>, slot: &Slot) -> Self {
        let visit = Self { context: context.clone(), beside: slot.beside.borrow().clone(), index: slot.index.get() };
        visit.beside.clients.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        context.connections.set(context.connections.get() + 1);
        context.seeing.client_opened(visit.index);
        visit
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.beside.clients.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
        self.context.connections.set(self.context.connections.get() - 1);
        self.context.seeing.client_closed(self.index);
    }
}
