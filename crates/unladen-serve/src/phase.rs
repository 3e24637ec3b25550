//! The principal type is [`Phase`]: where in its life a request is. This file is the map of that life.
//!
//! ```text
//! a client connects ── in front: PROXY, TLS (front/open) ── client_h1 / client_h2 ── a head is read, strictly (unladen-http1)
//!        │ no request of HTTP: 400, 431, 501, 505
//!        │
//! in front of an application (front/call):
//!        │ prepare      for whom it is, from which country; what a client says of itself is taken off
//!        │ PURGE        forgets (purge)                                          200, 403
//!        │ ask          a validator, what the page's version is now
//!        │ look, decide what is stored, and whether it answers (inquiry; unladen-cache)
//!        │              ├─ it does: recall (reply, memory)                       200, 206, 304, 412, 416
//!        │              ├─ wait: together with all who ask for the same (wait); one of them fetches (fetch),
//!        │              │        the answer is judged, told and stored (catch)
//!        │              └─ pass: the application, for this client alone; what an unsafe request changed is forgotten (touch)
//!        │ clients      too many under way of one client                         429
//!        │
//! at the application, or beside one (errand):
//! Admitting    rates, limits, the breaker                                        429, 503 at once
//!        │
//! Connecting   an endpoint is picked; a connection of this thread, of another, or a new one (unladen-pool)
//!        │     ├─ none: BackingOff, another endpoint                              502, 503, 504
//! Sending      the head, and the body as the client sends it
//! Waiting      for the answer's head; interim ones (1xx) are passed on
//!        │     ├─ the connection was just being closed: again on another, if that is safe
//!        │     ├─ silence, a reset, a status that is listed: BackingOff, again if that is safe
//! Answering    the answer's body, as fast as the client takes it
//!        │     └─ it breaks off: so does ours
//! Tunnelling   after 101, both ways, whatever it is
//!        │
//! the connections are kept for the next request, and a Record tells of this one
//! ```

use crate::record::Reason;

/// Where in its life a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing has been decided.
    Admitting,
    /// A connection is looked for, or made.
    Connecting,
    /// It will be sent again in a moment.
    BackingOff,
    /// It is being sent.
    Sending,
    /// It has been sent.
    Waiting,
    /// The answer is on its way.
    Answering,
    /// Some of it is there, and the client does not take it.
    Delivering,
    /// The connection is another protocol's.
    Tunnelling,
}

impl Phase {
    /// What it means if this takes too long. While the request is sent, it is the client that is waited for, or the upstream that
    /// does not read on: either way no answer came in time.
    pub(crate) fn too_long(self) -> Reason {
        match self {
            Self::Admitting | Self::Connecting | Self::BackingOff => Reason::ConnectTimeout,
            Self::Sending | Self::Delivering => Reason::ClientTimeout,
            Self::Waiting | Self::Answering | Self::Tunnelling => Reason::UpstreamTimeout,
        }
    }
}

#[cfg(test)]
mod tests;
