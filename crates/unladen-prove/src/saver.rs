//! The principal type is [`Saver`]: it copies originals into the folder of the journal.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::claim::Claim;
use crate::fault::Fault;
use crate::shell::Shell;

/// Copies originals into the folder of the journal, each under a name of its own, and down to the disk.
#[derive(Debug)]
pub struct Saver<'a> {
    folder: &'a Path,
    shell: &'a Shell,
    count: usize,
    /// The files of which originals are copied.
    claims: Vec<Claim>,
}

impl<'a> Saver<'a> {
    /// One that saves into this folder.
    pub(crate) fn new(folder: &'a Path, shell: &'a Shell) -> Self {
        Self { folder, shell, count: 0, claims: Vec::new() }
    }

    /// Runs commands, for looking only.
    pub fn shell(&self) -> &Shell {
        self.shell
    }

    /// Keeps these bytes; returns the name below [`folder`](Self::folder).
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

    /// Has no other run switch this file, before anything of it is read.
    ///
    /// # Errors
    /// If another one does.
    pub(crate) fn claim(&mut self, path: &Path) -> Result<(), Fault> {
        // Patches may share one.
        if !self.claims.iter().any(|claim| claim.path() == path) {
            self.claims.extend(Claim::take(path)?);
        }
        Ok(())
    }

    /// The rights to what was claimed.
    pub(crate) fn into_claims(self) -> Vec<Claim> {
        self.claims
    }

    /// Where they are.
    pub fn folder(&self) -> PathBuf {
        self.folder.to_owned()
    }
}

/// Writes a file that only its owner reads, and waits until it is on the disk.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
