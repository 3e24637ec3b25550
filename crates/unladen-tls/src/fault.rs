//! The principal type is [`TlsFault`]: how TLS failed, by what to do about it.

use std::io;
use std::time::Duration;

use rustls::{AlertDescription, CertificateError, Error};

/// How TLS failed. The display says what is wrong; callers that know the settings add which of them helps.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display)]
#[non_exhaustive]
pub enum TlsFault {
    /// No trusted authority signed the certificate.
    #[display("no trusted authority signed its certificate")]
    UnknownIssuer,
    /// The server's certificate is an authority's, as `openssl req -x509` makes them.
    #[display(
        "its certificate is an authority's, not a server's (`openssl req -x509` makes such certificates); make one \
         with `-addext basicConstraints=critical,CA:FALSE`"
    )]
    AuthorityAsServer,
    /// The certificate expired this long ago.
    #[display("its certificate {}; renew it", expired(*_0))]
    Expired(Option<Duration>),
    /// The certificate begins after this time, or a clock is wrong.
    #[display("its certificate is {}; check this machine's clock", not_yet_valid(*_0))]
    NotYetValid(Option<Duration>),
    #[display("its certificate is for {}{}", other_names(presented), not_for(expected.as_deref()))]
    WrongName {
        /// The expected name, as far as known.
        expected: Option<String>,
        /// Its names, as far as known.
        presented: Vec<String>,
    },
    #[display("its certificate is refused ({_0})")]
    Certificate(String),
    #[display("it does not speak TLS there; should the URL begin with http:, or is the port wrong?")]
    NotTls,
    /// The peer speaks TLS, but not the requested version of HTTP.
    #[display("it does not offer the requested HTTP version")]
    NoSuchHttp,
    #[display("it requires a client certificate")]
    WantsClientCertificate,
    /// The peer rejects our certificate, or its absence.
    #[display("it refuses the client's certificate, or requires one ({_0}); see its error log")]
    RefusesClientCertificate(String),
    #[display(
        "it closed the connection during the handshake; see its error log, and check whether it serves this name"
    )]
    Closed,
    #[display("{_0}")]
    Other(String),
}

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

fn expired(ago: Option<Duration>) -> String {
    ago.map_or_else(|| "has expired".to_owned(), |ago| format!("expired {} ago", long(ago)))
}

fn not_yet_valid(hence: Option<Duration>) -> String {
    hence.map_or_else(|| "not valid yet".to_owned(), |hence| format!("valid only in {}", long(hence)))
}

fn other_names(presented: &[String]) -> String {
    if presented.is_empty() { "other names".to_owned() } else { presented.join(", ") }
}

fn not_for(expected: Option<&str>) -> String {
    expected.map(|expected| format!(", not for {expected}")).unwrap_or_default()
}

#[cfg(test)]
mod tests;
