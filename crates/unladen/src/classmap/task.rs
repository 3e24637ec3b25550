//! The principal type is [`Task`]: which application, and what is to be made of it.

use std::path::{Path, PathBuf};

use unladen_classmap::{Options, Project, READERS, Reader, reader_for};
use unladen_document::About;

use super::emit::Emit;
use super::plain::plain;
use crate::exit::Failure;
use crate::runs::Origin;

/// An application, and what is wanted of it.
#[derive(Clone)]
pub(crate) struct Task {
    /// Its folder, if it was named.
    pub(crate) root: Option<PathBuf>,
    /// Who reads it, where that is not to be found out.
    pub(crate) reader: Option<&'static dyn Reader>,
    /// What is read.
    pub(crate) options: Options,
    /// What is written.
    pub(crate) emit: Emit,
    /// Where, if not where it usually is.
    pub(crate) output: Option<PathBuf>,
    /// Whether that may lack what could not be read.
    pub(crate) partial: bool,
    /// Whether programs read what is said.
    pub(crate) json: bool,
    /// The command line, without secrets.
    pub(crate) typed: Vec<String>,
}

// === impl Task ===

impl Task {
    /// Reads the application.
    pub(super) fn read(&self) -> Result<Project, Failure> {
        let root = self.root()?;
        let reader = match self.reader.or_else(|| reader_for(&root, &self.options)) {
            Some(reader) => reader,
            None => return Err(Failure::Usage(unknown(&root))),
        };
        Ok(Project::read(&root, reader, &self.options)?)
    }

    /// Where what is said of it comes from.
    pub(super) fn about(&self, project: &Project) -> About {
        Origin::of_folder(&self.typed, project.root()).about()
    }

    /// Its folder, absolute.
    pub(super) fn root(&self) -> Result<PathBuf, Failure> {
        let given = self.root.as_deref().unwrap_or(Path::new("."));
        let failed = |why: &str| Failure::Usage(format!("{}: {why}", given.display()));
        let root = std::path::absolute(given).map_err(|error| failed(&error.to_string()))?;
        match root.metadata() {
            // `..` and a `/` at the end; links stay, as the application may be known by them.
            Ok(metadata) if metadata.is_dir() => Ok(plain(&root)),
            Ok(_) => Err(failed("a folder was expected, that of an application")),
            Err(error) => Err(failed(&format!("{error}; the folder of an application was expected"))),
        }
    }
}

fn unknown(root: &Path) -> String {
    let kinds: Vec<_> = READERS.iter().map(|reader| format!("  {:10} {}", reader.name(), reader.about())).collect();
    format!(
        "{}: no application that is known here; --reader and --psr4 name one; known are:\n{}",
        root.display(),
        kinds.join("\n")
    )
}
