//! The principal type is [`SettingsError`]: why a validator cannot have such settings.

use unladen_postgres::AddressError;

use crate::PatternError;

/// Why a validator cannot have such settings. No message shows a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    #[error("path: {0}")]
    Path(#[from] PatternError),
    #[error("`{name}` is none of the path's names ({names}): correct it, or add `{{{name}}}` to the path")]
    Name { name: String, names: String },
    #[error("the database's address: {0}")]
    Url(String),
    #[error("`shared`: {0}")]
    Valkey(String),
    #[error("TLS to the database: {0}")]
    Tls(String),
    #[error("the file's path: {0}")]
    File(String),
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
