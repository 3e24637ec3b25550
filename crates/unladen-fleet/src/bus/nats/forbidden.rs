//! The principal type is [`Forbidden`]: what a NATS server does not let its user do.
//!
//! The server says so beside its answers, and does not answer what it forbids: to whoever waits, that is silence.

use std::sync::{Arc, Mutex, PoisonError};

use async_nats::{Event, ServerError};

use crate::BusError;
use crate::plain::plain;

/// What the server has forbidden last.
#[derive(Clone, Debug, Default)]
pub(super) struct Forbidden(Arc<Mutex<Option<String>>>);

impl Forbidden {
    /// Takes note of what a connection tells.
    pub(super) fn hear(&self, event: &Event) {
        if let Event::ServerError(ServerError::Other(words)) = event
            && words.to_ascii_lowercase().contains("permissions violation")
        {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(plain(words));
        }
    }

    /// Why something failed: what was not answered may have been forbidden.
    pub(super) fn explains(&self, error: BusError) -> BusError {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (error, last) {
            (BusError::Timeout, Some(words)) => BusError::Refused(format!(
                "{words}: the user needs the JetStream API (`$JS.API.>`), `unladen.>` and `_INBOX.>`"
            )),
            (error, _) => error,
        }
    }
}

#[cfg(test)]
mod tests;
