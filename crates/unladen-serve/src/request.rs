//! What is known of a request under way, and its time limits. The principal type is [`RequestState`]: what is known so
//! far, even when it is cut off; for a fetch, [`Fetched`] is what the request that waits logs of it.

pub(crate) mod phase;
pub(crate) mod watch;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_fastcgi::{Fault, Refusal, Stderr};
use unladen_observability::{Cause, End, Reason, Reuse, Version};
use unladen_pool::{Endpoint, InFlight};

use self::phase::Phase;
use crate::limits::queue::Place;

/// How a request ended, and when.
pub(crate) type Finished = (End, Instant);

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
    pub(crate) fastcgi: FastCgiNotes,
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
            fastcgi: FastCgiNotes::default(),
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

/// PHP-FPM's message when it finds no file by `SCRIPT_FILENAME`; its answer is a plain 404.
const NO_SCRIPT: &[u8] = b"Primary script unknown";
/// Its message when `security.limit_extensions` does not list the script's ending; its answer is a 403.
const NO_ACCESS: &[u8] = b"Access to the script";

/// Advice for a connection that ended too early.
const CLOSED: &str = "it closed the connection before its answer was complete: if a process died (a segmentation \
                      fault, no memory, `request_terminate_timeout` of PHP-FPM), its manager's log reports it";

/// What a FastCGI application said besides its answer.
#[derive(Debug, Default)]
pub(crate) struct FastCgiNotes {
    pub(crate) stderr: RefCell<Stderr>,
    pub(crate) refusal: Cell<Option<Refusal>>,
    pub(crate) fault: Cell<Option<Fault>>,
    /// Said by a field that is removed: the client acts on the head alone.
    pub(crate) is_stream: Cell<bool>,
}

impl FastCgiNotes {
    pub(crate) fn clear(&self) {
        self.stderr.borrow_mut().clear();
        self.refusal.set(None);
        self.fault.set(None);
        self.is_stream.set(false);
    }

    /// Its standard error, with advice where known; `None` if it wrote nothing.
    pub(crate) fn on_stderr(&self) -> Option<String> {
        let stderr = self.stderr.borrow();
        if stderr.is_empty() {
            return None;
        }
        let advice = if stderr.says(NO_SCRIPT) {
            "; PHP-FPM finds no file there: does it see the same folder as `root` (a container, a chroot), and may it \
             read it?"
        } else if stderr.says(NO_ACCESS) {
            "; see `security.limit_extensions` of PHP-FPM, and the file's mode"
        } else {
            ""
        };
        Some(format!("{}{advice}", stderr.line()))
    }

    /// Why there is no complete answer; `usual` is the common text for the reason.
    pub(crate) fn cause(&self, usual: Option<String>, reason: Reason) -> String {
        let words = match (self.refusal.get(), self.fault.get()) {
            (Some(refusal), _) => refusal.to_string(),
            (None, Some(fault)) => fault.to_string(),
            (None, None) if reason == Reason::UpstreamClosed => CLOSED.to_owned(),
            (None, None) => usual.unwrap_or_default(),
        };
        match self.on_stderr() {
            Some(stderr) => format!("{words}; on standard error: {stderr}"),
            None => words,
        }
    }
}

/// State of a fetch: a separate request to the application, in a task of its own, which goes on when its client leaves.
/// The client's request that started it logs it in its own record.
#[derive(Debug, Default)]
pub(crate) struct Fetched {
    pub(crate) endpoint: RefCell<Option<Arc<Endpoint>>>,
    pub(crate) upstream_version: Cell<Option<Version>>,
    pub(crate) reuse: Cell<Reuse>,
    pub(crate) attempts: Cell<u32>,
    /// As the application was told.
    pub(crate) request_id: RefCell<Vec<u8>>,
    pub(crate) cause: RefCell<Option<Box<Cause>>>,
}

#[cfg(test)]
mod tests;
