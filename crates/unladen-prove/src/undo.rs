//! The principal type is [`Undo`]: the way back from one change, as data that outlives the process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use unladen_load::Cancel;

use crate::error::Fault;
use crate::original::Original;
use crate::shell::{Shell, quoted};

const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// The way back from one change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Undo {
    Nothing,
    Files(Vec<Original>),
    Patch {
        kept: String,
        files: Vec<Original>,
    },
    Command {
        command: String,
        /// In milliseconds.
        within_ms: u64,
    },
    /// A path that did not exist, and the command that removes it.
    Made {
        path: PathBuf,
        command: String,
        /// In milliseconds.
        within_ms: u64,
    },
}

impl Undo {
    /// Puts the change back; returns whether that changed anything. All files are tried, and the first error is
    /// returned.
    pub fn run(&self, journal: &Path, shell: &Shell) -> Result<bool, Fault> {
        match self {
            Self::Nothing => Ok(false),
            Self::Files(files) | Self::Patch { files, .. } => {
                let mut changed = Ok(false);
                for file in files {
                    let done = file.restore(journal);
                    changed = changed.and_then(|before| Ok(before | done?));
                }
                changed
            }
            Self::Made { path, .. } if !path.exists() => Ok(false),
            Self::Command { command, within_ms } | Self::Made { command, within_ms, .. } => {
                let within = Duration::from_millis(*within_ms).min(LONGEST);
                // Putting back is not cancelled: that would leave the change in place.
                shell.run(command, &BTreeMap::new(), within, &Cancel::new())?;
                Ok(true)
            }
        }
    }

    pub(crate) fn files(&self) -> &[Original] {
        match self {
            Self::Files(files) | Self::Patch { files, .. } => files,
            Self::Nothing | Self::Command { .. } | Self::Made { .. } => &[],
        }
    }

    pub(crate) fn patched(&mut self) -> &mut [Original] {
        match self {
            Self::Patch { files, .. } => files,
            Self::Nothing | Self::Files(_) | Self::Command { .. } | Self::Made { .. } => &mut [],
        }
    }

    pub(crate) fn by_hand(&self, journal: &Path, shell: &Shell) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Files(files) | Self::Patch { files, .. } => {
                files.iter().map(|file| file.by_hand(journal)).collect::<Option<Vec<_>>>().map(|all| all.join(" && "))
            }
            Self::Command { command, .. } | Self::Made { command, .. } => {
                Some(format!("cd {} && {command}", quoted(shell.folder())))
            }
        }
    }
}
