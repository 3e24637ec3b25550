//! The principal type is [`Software`]: a program and its version.

use std::path::{Path, PathBuf};

use serde::Serialize;

mod known;
mod marks;
mod package;

use known::Program;

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Software {
    /// `PHP-FPM`, `nginx`; the file's name for an unknown program.
    pub name: String,
    /// From the package that owns the file, else from the file itself.
    pub version: Option<String>,
}

const LONGEST: usize = 64;

/// The versions of these executables, without running any of them: from Debian's database of packages, else, for
/// well-known servers, from their files. Without duplicates, by name.
///
/// A path may lead through `/proc/PID/root`: then the container's database is used. Its owner can make it say anything;
/// a version is bounded, and has no character that a terminal would act upon.
pub fn software_of(executables: &[PathBuf]) -> Vec<Software> {
    let mut all: Vec<Software> = executables.iter().filter_map(|path| of_file(path)).collect();
    all.sort();
    all.dedup();
    all
}

fn of_file(executable: &Path) -> Option<Software> {
    let file_name = printable(executable.file_name()?.to_str()?)?;
    let program = Program::of(&file_name);
    let (root, inside) = root_of(executable);
    let version = package::version(&root, &inside, &program).or_else(|| marks::version(executable, &program));
    Some(Software { name: program.name, version: version.as_deref().and_then(printable) })
}

/// The folder in which the path is absolute: `/proc/PID/root` for a container's process, else `/`.
fn root_of(executable: &Path) -> (PathBuf, PathBuf) {
    let root: PathBuf = executable.iter().take(4).collect();
    let is_proc = executable.iter().take(2).eq(["/", "proc"]);
    if is_proc
        && root.ends_with("root")
        && let Ok(inside) = executable.strip_prefix(&root)
    {
        let inside = Path::new("/").join(inside);
        return (root, inside);
    }
    (PathBuf::from("/"), executable.to_owned())
}

/// `None` if the text cannot be a package's name or version.
fn printable(text: &str) -> Option<String> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "+-._~: ".contains(character);
    (!text.is_empty() && text.len() <= LONGEST && text.chars().all(is_plain)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
