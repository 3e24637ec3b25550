//! The principal type is [`SettingsError`]: why there can be no validator of such settings.

use unladen_postgres::AddressError;

use crate::PatternError;

/// Why there can be no validator of such settings. None of it shows a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The path.
    #[error("path: {0}")]
    Path(#[from] PatternError),
    /// A name that the path does not have.
    #[error("`{name}` is none of the path's names ({names}): correct it, or add `{{{name}}}` to the path")]
    Name {
        /// What is asked for.
        name: String,
        /// What there is.
        names: String,
    },
    /// The database's address.
    #[error("the database's address: {0}")]
    Url(String),
    /// The engine that shares answers.
    #[error("`shared`: {0}")]
    Valkey(String),
    /// Whom to trust.
    #[error("TLS to the database: {0}")]
    Tls(String),
    /// The path of a file.
    #[error("the file's path: {0}")]
    File(String),
    /// A number that means nothing.
    #[error("{0}")]
    Number(&'static str),
}

impl From<AddressError> for SettingsError {
    fn from(error: AddressError) -> Self {
        match error {
            AddressError::Url(why) => Self::Url(why),
            AddressError::Tls(why) => Self::Tls(why),
            other => Self::Url(other.to_string()),
        }
    }
}
