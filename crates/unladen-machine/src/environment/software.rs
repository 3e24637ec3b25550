//! The principal type is [`Software`]: a program that was seen, and its version.

use std::path::{Path, PathBuf};

use serde::Serialize;

mod known;
mod marks;
mod package;

use known::Program;

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Software {
    /// What it is called: `PHP-FPM`, `nginx`; the name of the file if the program is not a known one.
    pub name: String,
    /// Its version: the one of the package that owns the file, else the one that the file itself bears; `None` if
    /// neither tells.
    pub version: Option<String>,
}

/// A version is at most so long.
const LONGEST: usize = 64;

/// The versions of these executables, without running any of them: by Debian's database of packages, else by what
/// well-known servers have in their own files. What exists twice is told once, in the order of the names.
///
/// A path may lead through `/proc/PID/root`: then it is the container's database that is asked. Whoever owns the
/// container can make it say anything; a version is bounded, and has no character that a terminal would act upon.
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

/// The folder in which the path is absolute: of a container's process `/proc/PID/root`, else `/`.
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

/// Names and versions as packages have them; `None` if this is another text.
fn printable(text: &str) -> Option<String> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "+-._~: ".contains(character);
    (!text.is_empty() && text.len() <= LONGEST && text.chars().all(is_plain)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
