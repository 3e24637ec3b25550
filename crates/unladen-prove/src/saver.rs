//! The principal type is [`Saver`]: it copies originals into the folder of the journal.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::claim::Claim;
use crate::fault::Fault;
use crate::shell::Shell;

/// Copies originals into the folder of the journal, each under its own name, and syncs them.
#[derive(Debug)]
pub struct Saver<'a> {
    folder: &'a Path,
    shell: &'a Shell,
    count: usize,
    claims: Vec<Claim>,
}

impl<'a> Saver<'a> {
    pub(crate) fn new(folder: &'a Path, shell: &'a Shell) -> Self {
        Self { folder, shell, count: 0, claims: Vec::new() }
    }

    /// Shell for commands that change nothing.
    pub fn shell(&self) -> &Shell {
        self.shell
    }

    /// Saves these bytes; returns the name below [`folder`](Self::folder).
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn keep(&mut self, bytes: &[u8]) -> Result<String, Fault> {
        let name = format!("kept-{}", self.count);
        self.count += 1;
        let path = self.folder.join(&name);
        write_new(&path, bytes).map_err(Fault::file("write", path))?;
        Ok(name)
    }

    /// Keeps other runs from switching this file, before anything of it is read.
    ///
    /// # Errors
    /// If another run has it.
    pub(crate) fn claim(&mut self, path: &Path) -> Result<(), Fault> {
        // Patches may share one.
        if !self.claims.iter().any(|claim| claim.path() == path) {
            self.claims.extend(Claim::take(path)?);
        }
        Ok(())
    }

    pub(crate) fn into_claims(self) -> Vec<Claim> {
        self.claims
    }

    /// Folder of the saved files.
    pub fn folder(&self) -> PathBuf {
        self.folder.to_owned()
    }
}

pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
