//! The principal type is [`Bootstrap`]: what is said to the shell on the other host before an agent runs there.
//!
//! Shells read ahead of what they execute. So the script is one line, and nothing more is sent until the shell has
//! answered with a line that begins with a marker of this session. What a login prints does not begin so, and neither
//! does the script itself where a terminal echoes it: the script makes the marker of two parts.

use crate::hello::Hello;

/// What the far shell executes; `bootstrap.sh` has it in lines.
const SCRIPT: &str = include_str!("bootstrap.sh");

/// The beginning of a start on another host.
#[derive(Debug)]
pub(crate) struct Bootstrap {
    nonce: String,
}

/// What the far shell says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// stdin or stdout are a terminal.
    Terminal,
    /// Something is not there that the script needs: a tool, or `/proc`.
    Lacks(String),
    /// Nothing may be copied, and there is no agent of this protocol; what there is.
    NoAgent(Option<String>),
    /// In none of these folders a program can be written and run.
    NoFolder(String),
    /// A program for this kernel and machine is to be sent, into this folder.
    Need {
        /// As `uname -s` says.
        kernel: String,
        /// As `uname -m` says.
        machine: String,
        folder: String,
    },
    /// Its bytes are to be sent.
    Send,
    /// So many have arrived, in this folder.
    Short(String, String),
    /// Their hash is another one.
    Damaged,
    /// The program does not start, or speaks another protocol; what it said.
    Fails(String),
    /// It runs: where it was found, or `copied`. What follows are frames.
    Run(String),
}

impl Bootstrap {
    /// With a nonce of its own.
    pub(crate) fn new() -> Self {
        Self { nonce: format!("{:016x}", fastrand::u64(..)) }
    }

    /// The line for the shell.
    pub(crate) fn line(&self, copy: bool) -> String {
        let own = Hello::own().line();
        // The version of the program may differ, the protocol's may not.
        let protocol = own.rsplit_once(' ').map_or(own.as_str(), |(protocol, _)| protocol);
        let script = SCRIPT
            .replace("@NONCE@", &self.nonce)
            .replace("@PROTOCOL@", protocol)
            .replace("@COPY@", if copy { "1" } else { "0" });
        let line: Vec<&str> = script.lines().map(str::trim).collect();
        format!("{}\n", line.join(" "))
    }

    /// What the beginning of a line says, if it has this session's marker.
    pub(crate) fn marker(&self) -> String {
        format!("unladen-agent-{} ", self.nonce)
    }
}

impl Said {
    /// Of what stands behind the marker.
    pub(crate) fn parse(words: &str) -> Option<Self> {
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        let rest = rest.trim();
        let mut parts = rest.splitn(3, ' ').map(ToOwned::to_owned);
        Some(match verb {
            "tty" => Self::Terminal,
            "lacks" => Self::Lacks(rest.to_owned()),
            "none" => Self::NoAgent((!rest.is_empty()).then(|| rest.to_owned())),
            "nofolder" => Self::NoFolder(rest.to_owned()),
            "need" => Self::Need { kernel: parts.next()?, machine: parts.next()?, folder: parts.next()? },
            "send" => Self::Send,
            "short" => {
                let (arrived, folder) = rest.split_once(' ')?;
                Self::Short(arrived.to_owned(), folder.to_owned())
            }
            "damaged" => Self::Damaged,
            "fails" => Self::Fails(rest.to_owned()),
            "run" => Self::Run(rest.to_owned()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests;
