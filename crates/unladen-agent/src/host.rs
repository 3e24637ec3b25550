//! The principal type is [`Host`]: another machine or container, and the command that leads there.

use std::str::FromStr;

use crate::shown::shown_without_secrets;

const MAX_NAME: usize = 64;

const MAX_COMMAND: usize = 1000;

/// Another machine or container.
#[derive(Debug, Clone, PartialEq, Eq, Hash, derive_more::Display)]
#[display("{name}")]
pub struct Host {
    /// Name in results: letters, digits, `.`, `_` and `-`, at most 64.
    pub name: String,
    /// Prefix that runs a program there with its stdin and stdout: `ssh db1`.
    pub command: String,
}

/// Why something is no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    #[error("`{0}` is not a host: expected NAME='COMMAND', such as db='ssh db1'")]
    NoName(String),
    #[error(
        "`{0}` cannot be a host's name: expected up to {MAX_NAME} letters, digits, `.`, `_` and `-`, as in db='ssh \
         db1'"
    )]
    Name(String),
    #[error("host {0} has no command: expected NAME='COMMAND', such as {0}='ssh {0}'")]
    NoCommand(String),
}

impl Host {
    /// A host of that name, by that command. Fails if the name is invalid, or there is no command.
    pub fn new(name: &str, command: &str) -> Result<Self, HostError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(plain) {
            return Err(HostError::Name(name.to_owned()));
        }
        if command.trim().is_empty() {
            return Err(HostError::NoCommand(name.to_owned()));
        }
        Ok(Self { name: name.to_owned(), command: command.trim().to_owned() })
    }

    /// The command for messages, which CI logs keep: without passwords in it.
    pub fn told_command(&self) -> String {
        shown_without_secrets(&self.command, MAX_COMMAND)
    }
}

impl FromStr for Host {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        let (name, command) = text.split_once('=').ok_or_else(|| HostError::NoName(text.to_owned()))?;
        Self::new(name, command)
    }
}

#[cfg(test)]
mod tests;
