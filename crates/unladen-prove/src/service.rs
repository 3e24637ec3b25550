//! The principal type is [`Service`]: a program that can be restarted.

use serde::{Deserialize, Serialize};

use crate::ready::Ready;

/// A program that can be restarted; table `[[service]]` of the file.
#[derive(Clone, Debug)]
pub struct Service {
    /// By which knobs name it.
    pub name: String,
    pub restart: Restart,
    /// When it is there again.
    pub ready: Option<Ready>,
}

/// How a service is restarted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restart {
    /// By a shell command, run with the environment that knobs give the service.
    Command(String),
    /// As a systemd unit, its name with the suffix; the environment goes into a drop-in.
    Unit(String),
}

impl Restart {
    /// What to type for it.
    pub(crate) fn command(&self) -> String {
        match self {
            Self::Command(command) => command.clone(),
            Self::Unit(unit) => format!("systemctl restart {unit}"),
        }
    }
}
