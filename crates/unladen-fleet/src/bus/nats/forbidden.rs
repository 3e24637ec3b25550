//! The principal type is [`Forbidden`]: operations that a NATS server forbids its user.
//!
//! The server reports this beside its answers, and does not answer a forbidden request: the caller only sees silence.

use std::sync::{Arc, Mutex, PoisonError};

use async_nats::{Event, ServerError};

use crate::BusError;
use crate::plain::plain;

#[derive(Clone, Debug, Default)]
pub(super) struct Forbidden(Arc<Mutex<Option<String>>>);

impl Forbidden {
    pub(super) fn hear(&self, event: &Event) {
        if let Event::ServerError(ServerError::Other(words)) = event
            && words.to_ascii_lowercase().contains("permissions violation")
        {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(plain(words));
        }
    }

    /// Explains an error: the unanswered request may have been forbidden.
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
