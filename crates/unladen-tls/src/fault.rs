//! The principal type is [`TlsFault`]: how TLS failed, by what to do about it.

use std::fmt;
use std::io;
use std::time::Duration;

use rustls::{AlertDescription, CertificateError, Error};

/// How TLS failed. The display says what is wrong; callers that know the settings add which of them helps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TlsFault {
    /// No trusted authority signed the certificate.
    UnknownIssuer,
    /// The server's certificate is an authority's, as `openssl req -x509` makes them.
    AuthorityAsServer,
    /// The certificate expired this long ago.
    Expired(Option<Duration>),
    /// The certificate begins after this time, or a clock is wrong.
    NotYetValid(Option<Duration>),
    WrongName {
        /// The expected name, as far as known.
        expected: Option<String>,
        /// Its names, as far as known.
        presented: Vec<String>,
    },
    Certificate(String),
    NotTls,
    /// The peer speaks TLS, but not the requested version of HTTP.
    NoSuchHttp,
    WantsClientCertificate,
    /// The peer rejects our certificate, or its absence.
    RefusesClientCertificate(String),
    Closed,
    Other(String),
}

// === impl TlsFault ===

impl TlsFault {
    /// The fault of a handshake, or of a read or write after it.
    pub fn of(error: &io::Error) -> Self {
        let Some(rustls) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) else {
            return match error.kind() {
                io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                    Self::Closed
                }
                _ => Self::Other(error.to_string()),
            };
        };
        match rustls {
            Error::InvalidCertificate(certificate) => Self::of_certificate(certificate),
            Error::InvalidMessage(_) => Self::NotTls,
            Error::NoApplicationProtocol => Self::NoSuchHttp,
            Error::AlertReceived(alert) => Self::of_alert(*alert),
            other => Self::Other(other.to_string()),
        }
    }

    /// The TLS fault of a read after the handshake; `None` if it has nothing to do with TLS.
    pub fn after(error: &io::Error) -> Option<Self> {
        error.get_ref().is_some_and(|inner| inner.is::<Error>()).then(|| Self::of(error))
    }

    fn of_alert(alert: AlertDescription) -> Self {
        match alert {
            AlertDescription::NoApplicationProtocol => Self::NoSuchHttp,
            AlertDescription::CertificateRequired => Self::WantsClientCertificate,
            AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            // An authority of the same name, but with another key, is trusted there.
            | AlertDescription::DecryptError
            | AlertDescription::AccessDenied => Self::RefusesClientCertificate(format!("{alert:?}")),
            // TLS 1.2 also sends this if there is none.
            AlertDescription::HandshakeFailure => Self::Other(
                "it refuses the handshake (HandshakeFailure): it requires a client certificate, or there is no common \
                 TLS version or cipher; see its error log"
                    .to_owned(),
            ),
            other => Self::Other(Error::AlertReceived(other).to_string()),
        }
    }

    fn of_certificate(error: &CertificateError) -> Self {
        match error {
            // The signature is wrong if a trusted authority has the same name, but another key: one made anew.
            CertificateError::UnknownIssuer
            | CertificateError::BadSignature
            | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => Self::UnknownIssuer,
            CertificateError::Expired => Self::Expired(None),
            CertificateError::ExpiredContext { time, not_after } => {
                Self::Expired(Some(Duration::from_secs(time.as_secs().saturating_sub(not_after.as_secs()))))
            }
            CertificateError::NotValidYet => Self::NotYetValid(None),
            CertificateError::NotValidYetContext { time, not_before } => {
                Self::NotYetValid(Some(Duration::from_secs(not_before.as_secs().saturating_sub(time.as_secs()))))
            }
            CertificateError::NotValidForName => Self::WrongName { expected: None, presented: Vec::new() },
            CertificateError::NotValidForNameContext { expected, presented } => Self::WrongName {
                expected: Some(expected.to_str().into_owned()),
                presented: presented.iter().map(|name| bare(name).to_owned()).collect(),
            },
            // rustls passes this error of webpki on without a variant of its own.
            CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
                Self::AuthorityAsServer
            }
            other => Self::Certificate(other.to_string()),
        }
    }
}

/// rustls shows names in debug format: `DnsName("wiki.example")`.
fn bare(presented: &str) -> &str {
    let inner = presented.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inner.unwrap_or(presented).trim_matches('"')
}

/// In the largest unit of which it is at least one.
fn long(time: Duration) -> String {
    let seconds = time.as_secs();
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownIssuer => f.write_str("no trusted authority signed its certificate"),
            Self::AuthorityAsServer => f.write_str(
                "its certificate is an authority's, not a server's (`openssl req -x509` makes such certificates); \
                 make one with `-addext basicConstraints=critical,CA:FALSE`",
            ),
            Self::Expired(Some(ago)) => write!(f, "its certificate expired {} ago; renew it", long(*ago)),
            Self::Expired(None) => f.write_str("its certificate has expired; renew it"),
            Self::NotYetValid(Some(hence)) => {
                write!(f, "its certificate is valid only in {}; check this machine's clock", long(*hence))
            }
            Self::NotYetValid(None) => f.write_str("its certificate is not valid yet; check this machine's clock"),
            Self::WrongName { expected, presented } => {
                f.write_str("its certificate is for ")?;
                f.write_str(if presented.is_empty() { "other names" } else { "" })?;
                f.write_str(&presented.join(", "))?;
                expected.iter().try_for_each(|expected| write!(f, ", not for {expected}"))
            }
            Self::Certificate(what) => write!(f, "its certificate is refused ({what})"),
            Self::NotTls => {
                f.write_str("it does not speak TLS there; should the URL begin with http:, or is the port wrong?")
            }
            Self::NoSuchHttp => f.write_str("it does not offer the requested HTTP version"),
            Self::WantsClientCertificate => f.write_str("it requires a client certificate"),
            Self::RefusesClientCertificate(alert) => {
                write!(f, "it refuses the client's certificate, or requires one ({alert}); see its error log")
            }
            Self::Closed => f.write_str(
                "it closed the connection during the handshake; see its error log, and check whether it serves this \
                 name",
            ),
            Self::Other(what) => f.write_str(what),
        }
    }
}

#[cfg(test)]
mod tests;
