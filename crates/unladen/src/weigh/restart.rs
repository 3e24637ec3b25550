//! The principal type is [`Restart`]: a command that restarts the processes that answer.

use std::collections::BTreeMap;
use std::time::Duration;

use unladen_load::Cancel;
use unladen_prove::{COMMAND_TIME, Shell};

use crate::exit::Failure;

#[derive(Debug, Clone)]
pub(crate) struct Restart {
    /// For `sh -c`, in the folder where unladen was called.
    pub(crate) command: String,
}

impl Restart {
    pub(super) const BETWEEN_TRIES: Duration = Duration::from_millis(50);

    /// How long a server may refuse after its restart.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(30)
    }

    /// Fails if the command fails or is cancelled.
    pub(super) fn run(&self, cancel: &Cancel) -> Result<(), Failure> {
        let failed = |why: String| Failure::Usage(format!("--restart: {why}"));
        let folder = std::env::current_dir().map_err(|source| failed(source.to_string()))?;
        Shell::new(folder)
            .run(&self.command, &BTreeMap::new(), COMMAND_TIME, cancel)
            .map_err(|fault| failed(fault.to_string()))
    }
}
