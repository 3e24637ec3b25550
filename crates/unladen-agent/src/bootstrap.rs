//! The principal type is [`Bootstrap`]: the dialogue with the shell on the other host before an agent runs there.
//!
//! Shells read ahead of what they execute. So the script is one line, and nothing more is sent until the shell has
//! answered with a line that begins with this session's marker. The output of a login does not begin so, nor does the
//! script itself if a terminal echoes it: the script joins the marker from two parts.

use crate::hello::Hello;

/// Executed by the far shell; `bootstrap.sh` has it in lines.
const SCRIPT: &str = include_str!("bootstrap.sh");

#[derive(Debug)]
pub(crate) struct Bootstrap {
    nonce: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    Terminal,
    /// A tool that the script needs, or `/proc`, is missing.
    Lacks(String),
    /// Copying is off, and there is no agent of this protocol; the one that was found.
    NoAgent(Option<String>),
    /// In none of these folders a program can be written and run.
    NoFolder(String),
    /// Asks for a program for this kernel and machine; it goes into this folder.
    Need {
        /// From `uname -s`.
        kernel: String,
        /// From `uname -m`.
        machine: String,
        folder: String,
    },
    Send,
    /// Only this many bytes have arrived, in this folder.
    Short(String, String),
    Damaged,
    /// The program does not start, or speaks another protocol; its output.
    Fails(String),
    /// It runs: its path, or `copied`. Frames follow.
    Run(String),
}

impl Bootstrap {
    pub(crate) fn new() -> Self {
        Self { nonce: format!("{:016x}", fastrand::u64(..)) }
    }

    pub(crate) fn line(&self, copy: bool) -> String {
        let own = Hello::own().line();
        // The program's version may differ, the protocol's may not.
        let protocol = own.rsplit_once(' ').map_or(own.as_str(), |(protocol, _)| protocol);
        let script = SCRIPT
            .replace("@NONCE@", &self.nonce)
            .replace("@PROTOCOL@", protocol)
            .replace("@COPY@", if copy { "1" } else { "0" });
        let line: Vec<&str> = script.lines().map(str::trim).collect();
        format!("{}\n", line.join(" "))
    }

    pub(crate) fn marker(&self) -> String {
        format!("unladen-agent-{} ", self.nonce)
    }
}

impl Said {
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
