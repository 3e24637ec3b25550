//! The principal type is [`Service`]: a program that can be restarted.

use serde::{Deserialize, Serialize};

use crate::ready::Ready;

/// A program that can be restarted; table `[[service]]` of the file.
#[derive(Clone, Debug)]
pub struct Service {
    pub name: String,
    pub restart: Restart,
    pub ready: Option<Ready>,
}

/// How a service is restarted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restart {
    /// By a shell command, run with the service's variables from knobs.
    Command(String),
    /// As a systemd unit, its name with the suffix; variables go into a drop-in.
    Unit(String),
}

impl Restart {
    pub(crate) fn command(&self) -> String {
        match self {
            Self::Command(command) => command.clone(),
            Self::Unit(unit) => format!("systemctl restart {unit}"),
        }
    }
}
