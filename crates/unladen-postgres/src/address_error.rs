//! The principal type is [`AddressError`]: why an address of a server cannot be used.

/// Why an address of a server cannot be used. None of it shows a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    #[error("the database's address: {0}")]
    Url(String),
    #[error("TLS to the database: {0}")]
    Tls(String),
}
