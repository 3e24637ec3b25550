//! The principal type is [`Handshake`]: what to do where TLS with an engine fails, by the words that its URL and its
//! settings have for it.

use unladen_tls::TlsFault;

use crate::BusError;
use crate::plain::plain;

/// What to do where TLS with an engine fails.
pub(super) struct Handshake {
    /// Where nobody who is trusted has signed its certificate.
    pub(super) authority: &'static str,
    /// Where its certificate is for another name.
    pub(super) name: &'static str,
    /// Where it does not speak TLS.
    pub(super) plain: &'static str,
    /// Where it wants a certificate of the client: none is sent.
    pub(super) certificate: &'static str,
}

impl Handshake {
    /// What went wrong at an address, and what to do about it.
    pub(super) fn failed(&self, at: &str, fault: &TlsFault) -> BusError {
        let does = match fault {
            TlsFault::UnknownIssuer => self.authority,
            TlsFault::WrongName { .. } => self.name,
            TlsFault::NotTls => {
                return BusError::Unreachable(format!("{at}: it does not speak TLS there: {}", self.plain));
            }
            TlsFault::WantsClientCertificate | TlsFault::RefusesClientCertificate(_) => {
                return BusError::Refused(format!(
                    "{at}: TLS: {}, and none is sent: {}",
                    plain(&fault.to_string()),
                    self.certificate
                ));
            }
            _ => "",
        };
        let between = if does.is_empty() { "" } else { "; " };
        let words = format!("{at}: TLS: {}{between}{does}", plain(&fault.to_string()));
        match fault {
            TlsFault::Closed | TlsFault::Other(_) => BusError::Unreachable(words),
            _ => BusError::Refused(words),
        }
    }
}
