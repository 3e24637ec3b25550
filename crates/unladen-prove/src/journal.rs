//! The principal type is [`Journal`]: the folder beside an experiment with the originals and the way back, until all is
//! put back. An open journal holds its lock, and no other run of the experiment can begin.
//!
//! - `plan.json` says how to put back; it exists before the first switch, and is complete.
//! - `kept-N` are originals.
//! - `switched-K` exists from before the first switch of knob K.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Instant;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};
use nix::unistd::Uid;

use crate::error::SwitchError;
use crate::plan::Plan;
use crate::saver::{PATIENCE, write_new};

const PLAN: &str = "plan.json";
/// Written under this name, and renamed when complete.
const NEW_PLAN: &str = "plan.json.new";
const TRIES: usize = 100;

#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    handle: Flock<File>,
}

impl Journal {
    /// Beside the experiment: `.NAME.undo`.
    pub(crate) fn folder_of(experiment: &Path) -> Result<PathBuf, SwitchError> {
        let fail = failed("find the folder of", experiment);
        let whole = std::path::absolute(experiment).map_err(failed("find the folder of", experiment))?;
        let folder = whole.parent().unwrap_or(Path::new("/")).canonicalize().map_err(fail)?;
        let mut name = std::ffi::OsString::from(".");
        name.push(whole.file_name().unwrap_or_default());
        name.push(".undo");
        Ok(folder.join(name))
    }

    pub(crate) fn open(experiment: &Path) -> Result<Self, SwitchError> {
        let folder = Self::folder_of(experiment)?;
        for _try in 0..TRIES {
            match DirBuilder::new().mode(0o700).create(&folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(failed("create the folder", &folder)(error));
                }
                _ => {}
            }
            if let Some(journal) = Self::lock(&folder)? {
                return Ok(journal);
            }
        }
        Err(SwitchError::Busy { folder })
    }

    pub(crate) fn find(experiment: &Path) -> Result<Option<Self>, SwitchError> {
        Self::lock(&Self::folder_of(experiment)?)
    }

    fn lock(folder: &Path) -> Result<Option<Self>, SwitchError> {
        let flags = (OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW).bits();
        let handle = match OpenOptions::new().read(true).custom_flags(flags).open(folder) {
            Ok(handle) => handle,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if fs::symlink_metadata(folder).is_ok_and(|found| !found.is_dir()) => {
                drop(error);
                return Err(SwitchError::Foreign { folder: folder.to_owned() });
            }
            Err(error) => return Err(failed("open", folder)(error)),
        };
        let found = handle.metadata().map_err(failed("examine", folder))?;
        // The plan holds commands: in a folder that all may write to, another user could have made it.
        if found.uid() != Uid::effective().as_raw() || found.mode() & 0o022 != 0 {
            return Err(SwitchError::Foreign { folder: folder.to_owned() });
        }
        let handle = take(handle, folder)?;
        // Its last owner may have removed it between opening and locking.
        let same = fs::symlink_metadata(folder).is_ok_and(|now| (now.dev(), now.ino()) == (found.dev(), found.ino()));
        Ok(same.then(|| Self { folder: folder.to_owned(), handle }))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Leftovers of an earlier run: its plan and the knobs that it had switched; `None` if it had switched nothing.
    pub(crate) fn left_over(&self) -> Result<Option<(Plan, Vec<usize>)>, SwitchError> {
        let path = self.folder.join(PLAN);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed("read", path)(error)),
        };
        let plan: Plan = serde_json::from_slice(&text).map_err(|source| SwitchError::JournalText { path, source })?;
        let switched: Vec<usize> =
            (0..plan.knobs.len()).filter(|knob| self.folder.join(marker(*knob)).exists()).collect();
        Ok((!switched.is_empty()).then_some((plan, switched)))
    }

    pub(crate) fn write(&self, plan: &Plan) -> Result<(), SwitchError> {
        let (new, path) = (self.folder.join(NEW_PLAN), self.folder.join(PLAN));
        let text = serde_json::to_vec_pretty(plan)
            .map_err(|source| SwitchError::JournalText { path: path.clone(), source })?;
        write_new(&new, &text).map_err(failed("write", &new))?;
        fs::rename(&new, &path).map_err(failed("write", &path))?;
        self.sync()?;
        // The folder's own entry too.
        let above = self.folder.parent().unwrap_or(Path::new("/"));
        File::open(above).and_then(|above| above.sync_all()).map_err(failed("write", above))
    }

    pub(crate) fn mark(&self, knobs: &[usize]) -> Result<(), SwitchError> {
        let mut new = false;
        for knob in knobs {
            let path = self.folder.join(marker(*knob));
            if !path.exists() {
                write_new(&path, b"").map_err(failed("write", &path))?;
                new = true;
            }
        }
        if new { self.sync() } else { Ok(()) }
    }

    /// Deletes its content, the plan first: without it the rest means nothing.
    pub(crate) fn clear(&self) -> Result<(), SwitchError> {
        let ours =
            |name: &str| [PLAN, NEW_PLAN].contains(&name) || name.starts_with("kept-") || name.starts_with("switched-");
        let plan = self.folder.join(PLAN);
        if plan.exists() {
            fs::remove_file(&plan).map_err(failed("remove", &plan))?;
            self.sync()?;
        }
        for entry in fs::read_dir(&self.folder).map_err(failed("list", &self.folder))?.flatten() {
            if entry.file_name().to_str().is_some_and(ours) {
                fs::remove_file(entry.path()).map_err(failed("remove", entry.path()))?;
            }
        }
        Ok(())
    }

    /// Removes the folder, unless others have put something into it.
    pub(crate) fn remove(&self) -> Result<(), SwitchError> {
        self.clear()?;
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }

    fn sync(&self) -> Result<(), SwitchError> {
        self.handle.sync_all().map_err(failed("write", &self.folder))
    }
}

fn take(mut handle: File, folder: &Path) -> Result<Flock<File>, SwitchError> {
    let started = Instant::now();
    loop {
        match Flock::lock(handle, FlockArg::LockExclusiveNonblock) {
            Ok(locked) => return Ok(locked),
            Err((back, Errno::EWOULDBLOCK)) if started.elapsed() < PATIENCE => handle = back,
            Err((_, Errno::EWOULDBLOCK)) => return Err(SwitchError::Busy { folder: folder.to_owned() }),
            Err((_, error)) => return Err(failed("lock", folder)(error.into())),
        }
        std::thread::sleep(PATIENCE / 20);
    }
}

fn marker(knob: usize) -> String {
    format!("switched-{knob}")
}

fn failed(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> SwitchError {
    let path = path.into();
    move |source| SwitchError::Journal { what, path, source }
}

#[cfg(test)]
mod tests;
