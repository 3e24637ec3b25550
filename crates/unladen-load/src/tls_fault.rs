//! The principal type is [`TlsFault`]: in which way TLS failed, told apart by what one does about it.

use std::fmt;
use std::io;

use rustls::{AlertDescription, CertificateError, Error};

/// In which way TLS failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TlsFault {
    /// Nobody we trust signed the certificate.
    UnknownIssuer,
    /// The certificate is a certificate authority's, as `openssl req -x509` makes them, and stands for a server.
    AuthorityAsServer,
    /// The certificate was good until some time ago.
    Expired,
    /// The certificate will be good later, or a clock is wrong.
    NotYetValid,
    /// The certificate is for other names.
    WrongName {
        /// The names it is for, as far as known.
        presented: Vec<String>,
    },
    /// Something else is wrong with the certificate.
    Certificate(String),
    /// The other side does not speak TLS.
    NotTls,
    /// The other side speaks TLS, and not the version of HTTP that was asked for.
    NoSuchHttp,
    /// The other side wants a certificate of ours.
    WantsClientCertificate,
    /// The connection ended amid the handshake.
    Closed,
    /// Anything else.
    Other(String),
}

// === impl TlsFault ===

impl TlsFault {
    pub(crate) fn of(error: &io::Error) -> Self {
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
            Error::NoApplicationProtocol | Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {
                Self::NoSuchHttp
            }
            Error::AlertReceived(AlertDescription::CertificateRequired) => Self::WantsClientCertificate,
            other => Self::Other(other.to_string()),
        }
    }

    fn of_certificate(error: &CertificateError) -> Self {
        match error {
            // The signature does not fit when an authority of the same name, but of another key, is trusted: one made anew.
            CertificateError::UnknownIssuer
            | CertificateError::BadSignature
            | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => Self::UnknownIssuer,
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Self::NotYetValid,
            CertificateError::NotValidForName => Self::WrongName { presented: Vec::new() },
            CertificateError::NotValidForNameContext { presented, .. } => {
                Self::WrongName { presented: presented.iter().map(|name| bare(name).to_owned()).collect() }
            }
            // rustls passes this one on from webpki without a variant of its own.
            CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
                Self::AuthorityAsServer
            }
            other => Self::Certificate(other.to_string()),
        }
    }
}

/// rustls presents names as it debugs them: `DnsName("wiki.example")`.
fn bare(presented: &str) -> &str {
    let inner = presented.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inner.unwrap_or(presented).trim_matches('"')
}

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownIssuer => f.write_str(
                "no trusted authority signed its certificate; name your own with --cacert FILE, or skip the check with --insecure",
            ),
            Self::AuthorityAsServer => f.write_str(
                "its certificate is an authority's, not a server's (`openssl req -x509` makes such); make one with `-addext basicConstraints=critical,CA:FALSE`, or skip the check with --insecure",
            ),
            Self::Expired => f.write_str("its certificate has expired; renew it, or skip the check with --insecure"),
            Self::NotYetValid => f.write_str("its certificate is not valid yet; check this machine's clock, or skip the check with --insecure"),
            Self::WrongName { presented } if presented.is_empty() => f.write_str(
                "its certificate is for other names; use one of those in the URL, or skip the check with --insecure",
            ),
            Self::WrongName { presented } => write!(
                f,
                "its certificate is for {}; use such a name in the URL, or skip the check with --insecure",
                presented.join(", ")
            ),
            Self::Certificate(what) => write!(f, "its certificate is refused ({what}); --insecure skips the check"),
            Self::NotTls => f.write_str("it does not speak TLS there; should the URL begin with http, or is the port another?"),
            Self::NoSuchHttp => f.write_str("it does not offer the version of HTTP asked for; try the other one"),
            Self::WantsClientCertificate => f.write_str(
                "it wants a certificate of the client, which is not supported; connect to the application behind it",
            ),
            Self::Closed => f.write_str("it closed the connection amid the handshake; see its error log, and whether it serves this name"),
            Self::Other(what) => f.write_str(what),
        }
    }
}
