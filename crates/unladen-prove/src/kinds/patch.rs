//! The principal type is [`PatchKnob`]: a patch that `git apply` applies and reverts, in a repository or not.
//!
//! Putting back does not rely on it: the files that the patch touches are saved, and restored.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use unladen_load::Cancel;
use unladen_toml::{Bad, DAY, MILLISECOND, Table};

use crate::error::{CommandFault, Fault};
use crate::knob::{Knob, Switch};
use crate::original::{Content, Original};
use crate::read::{Given, Kind, Reading, Side};
use crate::saver::Saver;
use crate::shell::{COMMAND_TIME, Output, Shell};
use crate::undo::Undo;

/// The kind for the reader.
pub(super) const KIND: Kind = Kind {
    key: "patch",
    with: &["dir", "within"],
    summary: "applies a patch with `git apply`, in a repository or not",
    read,
};

fn read(table: &Table<'_>, side: &Side, reading: &Reading<'_>) -> Result<Given, Bad> {
    let (patch, text) = reading.file(&table.require(KIND.key, "the file of the patch")?)?;
    let dir = table.get("dir").map_or(Ok(reading.folder.to_owned()), |dir| reading.path(&dir))?;
    let bounds = MILLISECOND..=DAY;
    let within = table.get("within").map_or(Ok(COMMAND_TIME), |value| value.duration(bounds))?;
    Ok(Given::Change(Arc::new(PatchKnob { on: side.on, patch, text, dir, within })))
}

/// A patch.
#[derive(Clone, Debug)]
pub struct PatchKnob {
    pub on: bool,
    pub patch: PathBuf,
    /// Its content when the experiment was read: it may be edited while the experiment runs.
    pub text: Vec<u8>,
    pub dir: PathBuf,
    pub within: Duration,
}

/// Variables that would point git to another repository than the one around the folder.
const OTHER_REPOSITORY: [&str; 4] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

// === impl PatchKnob ===

impl PatchKnob {
    fn git(&self, arguments: &[&str], file: &Path, within: Duration, cancel: &Cancel) -> Result<Output, Fault> {
        let mut git = Command::new("git");
        // In a folder below the top of a repository, git would take the patch's paths as the repository's, and silently
        // skip those elsewhere: it must not look above the folder.
        let above = self.dir.parent().unwrap_or(Path::new("/"));
        git.args(["-c", "core.autocrlf=false", "-c", "apply.whitespace=nowarn", "apply", "--whitespace=nowarn"]);
        git.args(arguments).arg(file).env("GIT_CEILING_DIRECTORIES", above).env("LC_ALL", "C");
        for variable in OTHER_REPOSITORY {
            git.env_remove(variable);
        }
        let shown = format!("git apply {} {}", arguments.join(" "), self.patch.display());
        Shell::new(&self.dir).execute(git, &shown, within, cancel).map_err(|error| match error {
            CommandFault::Failed { output, .. } => {
                Fault::Patch { patch: self.patch.clone(), dir: self.dir.clone(), advice: "; git says:", output }
            }
            error => error.into(),
        })
    }

    fn files(&self, file: &Path) -> Result<Vec<PathBuf>, Fault> {
        let cancel = Cancel::new();
        let mut files = Vec::new();
        // Forwards it shows the new names, backwards the old ones.
        for direction in [&["--numstat", "-z"][..], &["--numstat", "-z", "-R"]] {
            let said = self.git(direction, file, COMMAND_TIME, &cancel)?.whole();
            let said = said.map_err(Fault::file("list the files of", &self.patch))?;
            // "1 TAB 2 TAB name NUL"
            for record in said.split(|byte| *byte == 0) {
                if let Some(name) = record.splitn(3, |byte| *byte == b'\t').nth(2) {
                    files.push(self.dir.join(OsStr::from_bytes(name)));
                }
            }
        }
        if files.is_empty() {
            // What is not saved cannot be put back.
            let source = io::Error::other("git names none");
            return Err(Fault::file("list the files of", &self.patch)(source));
        }
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// Contents of these files after the patch, tried on copies; `None` if unknown, as for symbolic links.
    fn makes(&self, files: &[PathBuf], patch: &Path) -> Option<Vec<Content>> {
        let scratch = tempfile::tempdir().ok()?;
        let copies: Vec<PathBuf> = files
            .iter()
            .map(|file| Some(scratch.path().join(file.strip_prefix(&self.dir).ok()?)))
            .collect::<Option<_>>()?;
        for (file, copy) in files.iter().zip(&copies) {
            match file.symlink_metadata() {
                Ok(found) if found.is_file() => {
                    fs::create_dir_all(copy.parent()?).ok()?;
                    fs::copy(file, copy).ok()?;
                }
                Ok(_) => return None,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) => return None,
            }
        }
        let there = Self { dir: scratch.path().to_owned(), ..self.clone() };
        there.git(&[], patch, self.within, &Cancel::new()).ok()?;
        let made = copies.iter().map(|copy| match copy.symlink_metadata() {
            Ok(found) if found.is_file() => fs::read(copy).ok().map(Content::Bytes),
            Ok(_) => None,
            Err(error) => (error.kind() == io::ErrorKind::NotFound).then_some(Content::Absent),
        });
        made.collect()
    }
}

impl Knob for PatchKnob {
    fn what(&self) -> String {
        format!("the patch {} in {}", self.patch.display(), self.dir.display())
    }

    fn claims(&self) -> Vec<String> {
        vec![self.what()]
    }

    fn has(&self, on: bool) -> bool {
        self.on == on
    }

    fn prepare(&self, saver: &mut Saver<'_>) -> Result<Undo, Fault> {
        let name = saver.keep(&self.text)?;
        let kept = saver.folder().join(&name);
        let never = Cancel::new();
        if let Err(error) = self.git(&["--check"], &kept, self.within, &never) {
            let is_in = self.git(&["--check", "-R"], &kept, self.within, &never).is_ok();
            return Err(match error {
                Fault::Patch { patch, dir, output, .. } if is_in => {
                    let advice = ": it seems to be applied already there; revert it first (git apply -R)";
                    Fault::Patch { patch, dir, advice, output }
                }
                error => error,
            });
        }
        let files = self.files(&kept)?;
        let mut originals = Vec::new();
        for file in &files {
            originals.push(Original::save(file, true, saver)?);
        }
        if let Some(made) = self.makes(&files, &kept) {
            let noted = originals.into_iter().zip(&made);
            let noted = noted.map(|(original, made)| Ok(original.holding([made].into_iter(), saver)?.in_pieces()));
            originals = noted.collect::<Result<_, Fault>>()?;
        }
        Ok(Undo::Patch { kept: name, files: originals })
    }

    fn set(&self, on: bool, switch: &Switch<'_>) -> Result<(), Fault> {
        let Undo::Patch { kept, .. } = switch.undo else { return Ok(()) };
        let direction: &[&str] = if self.on == on { &[] } else { &["-R"] };
        self.git(direction, &switch.journal.join(kept), self.within, switch.cancel).map(drop)
    }
}

#[cfg(test)]
mod tests;
