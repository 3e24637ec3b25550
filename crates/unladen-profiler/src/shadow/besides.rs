//! The principal type is [`Besides`].

use std::ffi::OsString;

/// What a shadow process has that the program has not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Besides {
    /// Arguments before all others.
    pub(crate) arguments: Vec<OsString>,
    /// Variables.
    pub(crate) environment: Vec<(OsString, OsString)>,
}
