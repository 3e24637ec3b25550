//! The principal type is [`Status`]: what git itself says of a work tree.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, geteuid};

use crate::revision::repository::{Repository, object_id};

/// A large work tree that is not in memory takes seconds; nobody wants to wait longer for a remark.
const WITHIN: Duration = Duration::from_secs(5);
/// Interval of checks for a program's end.
const PAUSE: Duration = Duration::from_millis(2);
/// The header is five short lines; the first changed file after it says enough.
const LONGEST: usize = 16 * 1024;

/// Settings that keep `git status` from starting anything. No setting on the command line turns off the filters in a
/// repository's own configuration: that is what [`RunAs`] is for.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.askPass=",
    "core.sshCommand=false",
    "submodule.recurse=false",
    "status.submoduleSummary=false",
    "maintenance.auto=false",
    "gc.auto=0",
    "protocol.allow=never",
];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Status {
    pub(crate) commit: Option<String>,
    pub(crate) branch: Option<String>,
    /// A tracked file, or the commit of a submodule, differs.
    pub(crate) dirty: bool,
}

/// Asks git; `None` if it is missing, may not be run, fails, or takes too long.
pub(crate) fn status(repository: &Repository) -> Option<Status> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let git = program("git", &path)?;
    let command = command(&git, &path, repository, RunAs::of(repository)?);
    ask(command, WITHIN)
}

/// The program's file. Ignores relative folders of `PATH`, which may be the repository's own.
fn program(name: &str, path: &OsStr) -> Option<PathBuf> {
    absolute(path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn absolute(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(path).filter(|folder| folder.is_absolute())
}

fn command(git: &Path, path: &OsStr, repository: &Repository, run_as: RunAs) -> Command {
    let mut command = in_own_session(git);
    command
        .env_clear()
        .env("PATH", std::env::join_paths(absolute(path)).unwrap_or_else(|_| OsString::from("/usr/bin:/bin")))
        .env("LC_ALL", "C")
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_ATTR_NOSYSTEM", "1")
        // Nothing is written: neither the index, nor a lock that would stop somebody else's git.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .args(["--no-pager", "--no-replace-objects", "-C"])
        .arg(&repository.work_tree);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command
        .args(["status", "--porcelain=v2", "--branch", "--untracked-files=no", "--no-renames"])
        // A submodule has another configuration.
        .arg("--ignore-submodules=dirty")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let RunAs::Owner { user, group } = run_as {
        // The standard library gives up the groups of root with it.
        command.uid(user).gid(group);
    }
    command
}

/// Runs the command, and ends all that it started.
fn ask(mut command: Command, within: Duration) -> Option<Status> {
    let started = Instant::now();
    let left = || within.saturating_sub(started.elapsed());
    let mut child = command.spawn().ok()?;
    let mut said = Vec::new();
    let is_read = read(&mut child, &mut said, left);
    let status = is_read.then(|| parse(&String::from_utf8_lossy(&said)));
    let is_known = match &status {
        // One changed file is enough.
        Some(status) if status.dirty => true,
        Some(_) => succeeds(&mut child, left),
        None => false,
    };
    end(&mut child);
    status.filter(|_| is_known)
}

/// Reads until the end, or until enough is there; `false` if that takes too long.
fn read(child: &mut Child, said: &mut Vec<u8>, left: impl Fn() -> Duration) -> bool {
    let Some(mut pipe) = child.stdout.take() else { return false };
    let mut buffer = [0; 4096];
    while said.len() < LONGEST {
        let timeout = PollTimeout::try_from(left()).unwrap_or(PollTimeout::ZERO);
        let mut ready = [PollFd::new(pipe.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, timeout) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => continue,
            Err(_) => return false,
        }
        match pipe.read(&mut buffer) {
            Ok(0) => return true,
            Ok(read) => {
                said.extend_from_slice(&buffer[..read]);
                // git may have much more to look at.
                if parse(&String::from_utf8_lossy(said)).dirty {
                    return true;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
    true
}

fn succeeds(child: &mut Child, left: impl Fn() -> Duration) -> bool {
    while !left().is_zero() {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(PAUSE),
            Err(_) => return false,
        }
    }
    false
}

/// Kills the process group, which includes filters. Does not wait for a process that waits for a disk.
fn end(child: &mut Child) {
    if let Ok(id) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
    }
    // It may not have a group of its own yet.
    let _ = child.kill();
    for _ in 0..50 {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(PAUSE),
            Ok(Some(_)) | Err(_) => return,
        }
    }
}

/// The porcelain format, version 2 (git-status(1)): headers begin with `#`, any other line is a difference.
fn parse(said: &str) -> Status {
    let mut status = Status::default();
    for line in said.lines() {
        if let Some(id) = line.strip_prefix("# branch.oid ") {
            status.commit = object_id(id);
        } else if let Some(branch) = line.strip_prefix("# branch.head ") {
            let is_branch = branch != "(detached)" && !branch.contains(char::is_control);
            status.branch = is_branch.then(|| branch.to_owned());
        } else if !line.starts_with('#') && !line.is_empty() {
            status.dirty = true;
        }
    }
    status
}

// The configuration of a repository can name programs that `git status` starts: filters, a file system monitor. So
// anyone who can write the repository decides what runs. With its owner's rights, that is no more than the owner can
// do anyway; with root's rights it could be anything.

const ROOT: u32 = 0;

/// With whose rights git may look at a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunAs {
    /// With the rights of this process.
    Ourselves,
    Owner {
        user: u32,
        group: u32,
    },
}

// === impl RunAs ===

impl RunAs {
    /// `None` if nobody's rights are low enough: the repository has several owners, or one as whom this process cannot
    /// run programs, or somebody else may write its configuration.
    pub(crate) fn of(repository: &Repository) -> Option<Self> {
        let owners: Vec<Owner> = places(repository).iter().filter_map(|path| Owner::of(path.as_path())).collect();
        choose(&owners, geteuid().as_raw())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner {
    user: u32,
    group: u32,
    is_open: bool,
    /// A group other than root's may write it.
    is_shared: bool,
}

impl Owner {
    fn of(path: &Path) -> Option<Self> {
        let found = path.symlink_metadata().ok()?;
        let may_write = |who: u32| found.mode() & who != 0 && !found.is_symlink();
        Some(Self {
            user: found.uid(),
            group: found.gid(),
            is_open: may_write(0o002),
            is_shared: may_write(0o020) && found.gid() != ROOT,
        })
    }
}

/// All that decides what git does there, and the index.
fn places(repository: &Repository) -> Vec<PathBuf> {
    let Repository { work_tree, own, common } = repository;
    vec![
        work_tree.join(".git"),
        own.clone(),
        common.clone(),
        own.join("HEAD"),
        common.join("config"),
        own.join("config.worktree"),
        own.join("index"),
        common.join("info"),
        work_tree.clone(),
    ]
}

fn choose(owners: &[Owner], ourselves: u32) -> Option<RunAs> {
    if owners.iter().any(|owner| owner.is_open) {
        return None;
    }
    let users: BTreeSet<u32> = owners.iter().map(|owner| owner.user).collect();
    // The user decides who shares a repository of their own.
    if users.contains(&ROOT) && owners.iter().any(|owner| owner.is_shared) {
        return None;
    }
    match users.into_iter().collect::<Vec<_>>()[..] {
        [only] if only == ourselves => Some(RunAs::Ourselves),
        [only] if ourselves == ROOT => {
            let group = owners.iter().find(|owner| owner.user == only)?.group;
            Some(RunAs::Owner { user: only, group })
        }
        _ => None,
    }
}

/// A command that runs this program in a session of its own, by setsid(1) of util-linux.
///
/// A program keeps its parent's terminal, also as another user. It could type commands into root's (`TIOCSTI`), or
/// write escape codes to it. The process has the id of the program; the path has to be absolute, as the program's own
/// environment may say where to look.
///
/// ```
/// use std::path::Path;
/// use unladen_machine::in_own_session;
///
/// let said = in_own_session(Path::new("/bin/sh")).args(["-c", "true </dev/tty || echo none"]).output()?;
/// assert_eq!(said.stdout, b"none\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn in_own_session(program: &Path) -> Command {
    let mut command = Command::new("/usr/bin/setsid");
    command.arg(program);
    command
}

#[cfg(test)]
mod tests;
