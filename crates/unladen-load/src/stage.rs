//! The principal type is [`Stage`]: how far a request had come.

use std::fmt;

/// How far a request had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Connecting,
    /// It was sent, and no response had begun.
    Waiting,
    /// The response had begun.
    Reading,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connecting => "before there was a connection",
            Self::Waiting => "before the response began",
            Self::Reading => "amid the response",
        })
    }
}
