//! The principal type is [`Besides`].

use std::ffi::OsString;

/// What a shadow process has in addition to the program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Besides {
    /// Before all others.
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
}
