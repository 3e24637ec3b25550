//! The principal type is [`AddressError`]: why a server's address cannot be used.

/// Why a server's address cannot be used. No message shows a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    #[error("the database's address: {0}")]
    Url(String),
    #[error("TLS to the database: {0}")]
    Tls(String),
}
