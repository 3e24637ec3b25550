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

// === impl Forbidden ===

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
mod tests {
    use super::*;

    #[test]
    fn silence_is_explained_by_what_was_forbidden_and_nothing_else_is() {
        let forbidden = Forbidden::default();
        assert_eq!(forbidden.explains(BusError::Timeout), BusError::Timeout);
        let said = |words: &str| Event::ServerError(ServerError::Other(words.to_owned()));
        forbidden.hear(&said("Stale Connection"));
        assert_eq!(forbidden.explains(BusError::Timeout), BusError::Timeout);
        forbidden.hear(&said("Permissions Violation for Publish to \"$JS.API.STREAM.INFO.UNLADEN_a\"\u{1b}"));
        let other = BusError::Answer("else".to_owned());
        assert_eq!(forbidden.explains(other.clone()), other);
        // What was said before is not said of what comes later.
        assert_eq!(forbidden.explains(BusError::Timeout), BusError::Timeout);
        forbidden.hear(&said("Permissions Violation for Publish to \"$JS.API.STREAM.INFO.UNLADEN_a\"\u{1b}"));
        let BusError::Refused(words) = forbidden.explains(BusError::Timeout) else { panic!("it was forbidden") };
        assert!(words.contains("STREAM.INFO") && words.contains("`unladen.>`") && !words.contains('\u{1b}'), "{words}");
    }
}
