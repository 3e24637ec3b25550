//! The principal type is [`Phase`]: where in its life a request is. This file is the map of that life.
//!
//! ```text
//! a client connects ── at a site: PROXY, TLS (listen) ── downstream/h1 or h2: a head is read, strictly (unladen-http1)
//!        │ no request of HTTP: 400, 431, 501, 505
//!        │
//! a site (responder: a file a stage, and each calls the next):
//!        │ early        an authority's page, the last hop, https, no such site    200, 301, 308, 405, 421
//!        │ admit        for whom it is, from which country; what a client says of itself is taken off
//!        │              rates                                                     429
//!        │ PURGE        forgets (purge)                                           200, 403
//!        │ route        whom it lets in; redirects and files (files) end here     200, 301, 400, 401, 403, 404
//!        │ ask          a validator, what the page's version is now
//!        │ look, decide what is stored, and whether it answers (cache_lookup; unladen-cache)
//!        │              ├─ it does: send_cached (respond)                         200, 206, 304, 412, 416
//!        │              ├─ wait: together with all who ask for the same (wait); one of them fetches (fetch),
//!        │              │        the answer is judged, announced and stored (cache_fetch)
//!        │              └─ pass: the application, for this client alone; what an unsafe request changed is forgotten (response_policy)
//!        │ crowd        too many under way of one client                         429
//!        │
//! an outbound, and what a site asks its application (transaction; upstream, upstream/attempt):
//! Admitting    rates                                                             413, 429 at once
//!        │
//! Receiving    the body, if it is to wait for its end (spool): in memory, then
//! Storing      in a file                                                         408, 413, 503, 507
//!        │
//! Queueing     as many are at the application as it has workers: its turn         503
//!        │
//! Admitting    limits, the breaker                                               503 at once
//!        │
//! Connecting   an endpoint is picked; a connection of this thread, of another, or a new one (unladen-pool)
//!        │     ├─ none: BackingOff, another endpoint                              502, 503, 504
//! Sending      the head, and the body: from where it waits, or as the client sends it
//! Waiting      for the answer's head; interim ones (1xx) are passed on
//!        │     ├─ the connection was just being closed: again on another, if that is safe
//!        │     ├─ silence, a reset, a status that is listed: BackingOff, again if that is safe
//! Answering    the answer's body, as fast as the application sends it: what the client does not take waits (relay)
//!        │     └─ it breaks off: so does ours
//! Tunnelling   after 101, both ways, whatever it is
//!        │
//! the connections are kept for the next request, and a RequestAccount tells of this one
//! ```

use unladen_observability::Reason;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Admitting,
    Queueing,
    /// Its body is read, before anything is sent.
    Receiving,
    /// A disk is waited for, to take some of its body.
    Storing,
    Connecting,
    BackingOff,
    Sending,
    Waiting,
    Answering,
    /// Some of the answer waits for the client.
    Delivering,
    Tunnelling,
}

impl Phase {
    /// What a timeout in this phase means. During sending, either the client or the upstream is slow: no answer came in
    /// time.
    pub(crate) fn too_long(self) -> Reason {
        match self {
            Self::Admitting | Self::Connecting | Self::BackingOff => Reason::ConnectTimeout,
            Self::Queueing => Reason::QueueTimeout,
            Self::Receiving | Self::Sending | Self::Delivering => Reason::ClientTimeout,
            Self::Storing => Reason::DiskFailed,
            Self::Waiting | Self::Answering | Self::Tunnelling => Reason::UpstreamTimeout,
        }
    }
}

#[cfg(test)]
mod tests;
