//! The principal function is [`decide`]: whether a failed request is sent again. It depends on [`Facts`] alone;
//! `exchange` asks for leave, waits, and sends.

use std::time::Duration;

use unladen_observability::Reason;

/// What is known of a failed request whose client has been told nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) reason: Reason,
    pub(crate) reached: Reached,
    /// Sending it twice does what sending it once does (RFC 9110, section 9.2.2).
    pub(crate) is_idempotent: bool,
    /// What was sent of its body is still there.
    pub(crate) is_kept: bool,
    /// Times it was sent again because its connection was just being closed.
    pub(crate) races: u32,
    /// Times it was sent again for other reasons …
    pub(crate) retries: u32,
    /// … and how many may be.
    pub(crate) attempts: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    Nothing,
    Connection {
        /// None of it was sent, or the upstream says that nothing was processed.
        unprocessed: bool,
        /// Nothing of an answer came.
        silent: bool,
        /// The connection has ended, not this request alone.
        ended: bool,
        /// The connection had carried others before.
        was_used: bool,
    },
    /// An answer whose status is to be retried.
    Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Send it at once, without leave; `new`: on a new connection.
    AtOnce {
        new: bool,
    },
    /// Send it after a while, if the upstream's budget gives leave and there is [time](has_time).
    WithLeave,
    Never,
}

pub(crate) fn decide(facts: &Facts) -> Decision {
    if !facts.reason.may_be_tried_again() || !facts.is_kept || !facts.is_safe() {
        return Decision::Never;
    }
    match (facts.is_race(), facts.races) {
        (true, 0) => Decision::AtOnce { new: false },
        // What closes all idle connections at once is not raced a third time.
        (true, 1) => Decision::AtOnce { new: true },
        (true, _) => Decision::Never,
        (false, _) if facts.retries < facts.attempts => Decision::WithLeave,
        (false, _) => Decision::Never,
    }
}

/// Whether the wait fits into the request's remaining time.
pub(crate) fn has_time(left: Option<Duration>, wait: Duration) -> bool {
    left.is_none_or(|left| left > wait)
}

impl Facts {
    /// Whether the connection was being closed when the request was sent: nobody's fault.
    pub(crate) fn is_race(&self) -> bool {
        let Reached::Connection { unprocessed, silent, ended, was_used } = self.reached else { return false };
        // No answer on a connection that had been idle: it was being closed (RFC 9112, section 9.3.1).
        let was_idle = was_used && ended && silent && self.is_idempotent;
        self.reason == Reason::UpstreamClosed && (unprocessed || was_idle)
    }

    fn is_safe(&self) -> bool {
        match self.reached {
            // Nothing was sent, so it can be sent elsewhere.
            Reached::Nothing => true,
            Reached::Connection { unprocessed, silent, .. } => unprocessed || (silent && self.is_idempotent),
            Reached::Answer => self.is_idempotent,
        }
    }
}

#[cfg(test)]
mod tests;
