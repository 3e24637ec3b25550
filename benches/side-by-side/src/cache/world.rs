//! The principal type is [`World`].

use std::cell::RefCell;
use std::path::PathBuf;
use std::process::Command;

use super::contestant::Contestant;
use super::origin::Origin;
use super::page::Page;
use super::processors::Processors;
use crate::Result;
use crate::rig::certificates::Certificates;
use crate::rig::ports::Ports;
use crate::scratch::ScratchFolder;

/// What all cases share.
pub(super) struct World {
    pub(super) scratch: ScratchFolder,
    pub(super) ports: RefCell<Ports>,
    pub(super) processors: Processors,
    pub(super) origin: Origin,
    pub(super) certificates: Certificates,
    /// Ours first.
    pub(super) contestants: Vec<Box<dyn Contestant>>,
    pub(super) rounds: Option<usize>,
}

impl World {
    pub(super) fn rounds_or(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(usual)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.contestants.iter().map(|contestant| contestant.name()).collect()
    }

    /// The same on the contestants' processor.
    pub(super) fn pinned(&self, command: &Command) -> Command {
        let mut pinned = Command::new("taskset");
        pinned.args(["-c", &self.processors.theirs.to_string()]).arg(command.get_program()).args(command.get_args());
        pinned
    }

    /// A file for callers who ask for these.
    pub(super) fn list(&self, pages: &[Page]) -> Result<PathBuf> {
        let lines: String = pages.iter().map(|page| page.line()).collect();
        self.scratch.file("pages", &lines)
    }
}
