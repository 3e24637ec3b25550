//! The principal type is [`BusError`]: errors of a bus.

use unladen_tls::TlsFault;

/// Error of a bus. It never contains a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr)]
#[non_exhaustive]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum BusError {
    #[error("{0}")]
    Url(String),
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("it refuses: {0}")]
    Refused(String),
    #[error("its answer is invalid: {0}")]
    Answer(String),
    #[error("it did not answer in time")]
    Timeout,
}

const LONGEST: usize = 300;

/// Text of an engine or a record for logs and answers: on one line, without terminal controls, and shortened.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect()
}

pub(crate) struct Handshake {
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
                    "{at}: TLS: {}, but none is sent: {}",
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
