//! The principal type is [`ScratchFolder`]: a folder for scripts and recordings of the tools, removed in the end.

use std::path::{Path, PathBuf};

use crate::Result;

pub(crate) struct ScratchFolder(PathBuf);

impl ScratchFolder {
    pub(crate) fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("unladen-bench-{}", std::process::id()));
        std::fs::create_dir(&folder)?;
        Ok(Self(folder))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file with this content.
    pub(crate) fn file(&self, name: &str, content: &str) -> Result<PathBuf> {
        let path = self.path(name);
        std::fs::write(&path, content)?;
        Ok(path)
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // It lies where things are removed sooner or later.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
