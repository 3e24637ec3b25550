//! The principal type is [`Plan`]: what the threads are to do from now on. The control thread makes one at the start
//! and at each reload; the threads follow the latest.

use std::sync::Arc;
use std::time::Instant;

use unladen_acme::{Answers, Held, Wanted};
use unladen_pool::Upstream;
use unladen_serve_config::ListenAddress;

use crate::proxy::Proxy;
use crate::site::Site;

/// What the threads are to do from now on.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The places beside applications, and in front of them.
    pub(crate) places: Vec<Planned>,
    /// Of requests without a decision of their caller, the share that is traced; none: no traces are made, and
    /// `traceparent` is passed on as it came.
    pub(crate) trace_sample: Option<f64>,
    /// The certificates that authorities issue.
    pub(crate) certificates: Vec<(Wanted, Arc<Held>)>,
    /// What authorities are answered.
    pub(crate) answers: Arc<Answers>,
    /// Whether it goes on.
    pub(crate) state: State,
}

/// A place, and where it listens.
#[derive(Debug)]
pub(crate) struct Planned {
    /// The place; of a site, the one from where it calls its application.
    pub(crate) proxy: Arc<Proxy>,
    /// If it is in front of an application.
    pub(crate) site: Option<Arc<Site>>,
    /// Of a site: where clients are sent on to https.
    pub(crate) redirects: Vec<Arc<Listener>>,
    /// Kept over a reload, if they are to stay.
    pub(crate) listeners: Vec<Arc<Listener>>,
}

/// An address that is listened at.
#[derive(Debug)]
pub(crate) struct Listener {
    /// The same as long as the sockets are.
    pub(crate) id: u64,
    /// The address.
    pub(crate) address: ListenAddress,
    /// Of several threads: the n-th is for thread n modulo their number. They do not block.
    pub(crate) sockets: Vec<ListenSocket>,
}

/// A listening socket.
#[derive(Debug)]
pub(crate) enum ListenSocket {
    /// Of TCP.
    Tcp(std::net::TcpListener),
    /// Of a Unix socket.
    Unix(std::os::unix::net::UnixListener),
}

/// Whether `serve` goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It does.
    Running,
    /// Nothing is accepted any more; what was is answered, each answer being its connection's last.
    Draining {
        /// Connections that wait for a request are closed then: soon if nobody else listens, since a request that comes
        /// just then is lost either way; late after a handover.
        idle_until: Instant,
        /// All of them are.
        until: Instant,
    },
}

// === impl Plan ===

impl Plan {
    /// Those that its places lead to.
    pub(crate) fn upstreams(&self) -> Vec<Arc<Upstream>> {
        self.places.iter().map(|planned| planned.proxy.upstream.clone()).collect()
    }
}
