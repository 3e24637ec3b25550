//! The principal type is [`Lab`]: a folder with the file of an experiment, and what its knobs switch.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::call::Call;
use crate::wait;

/// A folder with the file of an experiment; it goes when this is dropped.
#[derive(Debug)]
pub struct Lab {
    folder: TempDir,
}

/// A closed loop of one, in phases so short that an experiment of three arms takes some ten seconds.
pub const SHORT_LOAD: &str = "[load]\nconcurrency = 1\ntime = \"1s\"\nphase = \"80ms\"\nwarmup = \"10ms\"\n";

// === impl Lab ===

impl Default for Lab {
    fn default() -> Self {
        Self::new()
    }
}

impl Lab {
    /// An empty one.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder for temporary files") }
    }

    /// One of this experiment.
    pub fn of(experiment: &str) -> Self {
        let lab = Self::new();
        lab.write("experiment.toml", experiment);
        lab
    }

    /// A file of it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// `unladen prove` of the experiment, without a progress line.
    pub fn prove(&self) -> Call {
        Call::prove(["--quiet"]).args([self.path("experiment.toml")])
    }

    /// `unladen prove --restore` of the experiment.
    pub fn restore(&self) -> Call {
        Call::prove(["--restore"]).args([self.path("experiment.toml")])
    }

    /// Whether a run has left its way back behind.
    pub fn has_journal(&self) -> bool {
        self.path(".experiment.toml.undo").exists()
    }

    /// Waits until a file holds this.
    pub fn wait_until(&self, name: &str, holds: &str) {
        wait::until(&format!("{name} holds {holds:?}"), || {
            std::fs::read_to_string(self.path(name)).is_ok_and(|text| text.contains(holds))
        });
    }
}
