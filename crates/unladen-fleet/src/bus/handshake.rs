//! The principal type is [`Handshake`]: advice for TLS errors of an engine, in the terms of its URL and settings.

use unladen_tls::TlsFault;

use crate::BusError;
use crate::plain::plain;

pub(super) struct Handshake {
    pub(super) authority: &'static str,
    pub(super) name: &'static str,
    pub(super) plain: &'static str,
    /// If it requires a client certificate: none is sent.
    pub(super) certificate: &'static str,
}

impl Handshake {
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
