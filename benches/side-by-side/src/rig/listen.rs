//! The principal type is [`Listen`].

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::Result;

/// Where a program listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listen {
    /// A port of 127.0.0.1.
    Tcp(u16),
    Unix(PathBuf),
}

// === impl Listen ===

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(port) => write!(f, "127.0.0.1:{port}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl FromStr for Listen {
    type Err = Box<dyn std::error::Error>;

    fn from_str(text: &str) -> Result<Self> {
        match text.split_once(':') {
            Some(("unix", path)) => Ok(Self::Unix(path.into())),
            Some(("127.0.0.1", port)) => Ok(Self::Tcp(port.parse()?)),
            _ => Err(format!("no place to listen: {text}").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_they_are_written() {
        for listen in [Listen::Tcp(8080), Listen::Unix("/run/a.sock".into())] {
            assert_eq!(listen.to_string().parse::<Listen>().unwrap(), listen);
        }
        assert!("10.0.0.1:80".parse::<Listen>().is_err());
    }
}
