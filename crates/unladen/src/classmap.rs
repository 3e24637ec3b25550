//! What `unladen classmap` does. The principal type is [`Task`]: which application, and what is to be made of it.

mod check;
mod explain;
mod make;
mod place;
mod remembered;
mod summary;
mod target;
mod watch;

use std::path::{Path, PathBuf};

use unladen_classmap::{Options, Problem, Project, READERS, Reader, reader_for};

use crate::exit::Failure;

pub(crate) use check::check;
pub(crate) use explain::explain;
pub(crate) use make::make;
pub(crate) use target::Emit;
pub(crate) use watch::watch;

/// Problems that are shown by name where others are counted.
const SHOWN_PROBLEMS: usize = 10;

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
}

impl Task {
    /// Reads the application.
    fn read(&self) -> Result<Project, Failure> {
        let root = self.root()?;
        let reader = match self.reader.or_else(|| reader_for(&root, &self.options)) {
            Some(reader) => reader,
            None => return Err(Failure::Usage(unknown(&root))),
        };
        Ok(Project::read(&root, reader, &self.options)?)
    }

    /// Its folder, absolute.
    fn root(&self) -> Result<PathBuf, Failure> {
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

/// The path without a `/` at its end, and without `..` where that can be taken out.
pub(super) fn plain(path: &Path) -> PathBuf {
    let path: PathBuf = path.components().collect();
    if path.components().any(|part| part == std::path::Component::ParentDir) {
        return path.canonicalize().unwrap_or(path);
    }
    path
}

fn unknown(root: &Path) -> String {
    let kinds: Vec<_> = READERS.iter().map(|reader| format!("  {:10} {}", reader.name(), reader.about())).collect();
    format!(
        "{}: no application that is known here; --reader and --psr4 name one; known are:\n{}",
        root.display(),
        kinds.join("\n")
    )
}

/// A line in which names of files and classes, whoever chose them, tell a terminal nothing: control characters are
/// written out.
fn plain_text(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for letter in line.chars() {
        if letter.is_control() { plain.extend(letter.escape_default()) } else { plain.push(letter) }
    }
    plain
}

/// Tells what is wrong, the worst first; beyond a few, how many more.
fn tell(problems: &[Problem]) {
    let mut order: Vec<_> = problems.iter().collect();
    order.sort_by_key(|problem| !problem.hides);
    for problem in order.iter().take(SHOWN_PROBLEMS) {
        eprintln!("unladen: {}", plain_text(&problem.to_string()));
    }
    if let Some(more) = order.len().checked_sub(SHOWN_PROBLEMS).filter(|more| *more > 0) {
        eprintln!("unladen: and {more} more: `unladen classmap --check` lists them");
    }
}
