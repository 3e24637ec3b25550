//! The principal type is [`Server`]: a server's first process, and what its paths mean.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use nix::unistd::{Uid, User};

use super::command_line::CommandLine;

const MOST_BYTES: u64 = 1 << 20;

pub(super) struct Server {
    pub(super) pid: u32,
    /// `/proc/PID/root`, below which its paths lie.
    pub(super) root: PathBuf,
    /// Base of relative paths on its command line.
    pub(super) cwd: PathBuf,
    pub(super) command: CommandLine,
}

impl Server {
    pub(super) fn path(&self, given: &str) -> String {
        plain(&self.cwd.join(given))
    }

    /// A file as it sees it; `None` if it is not regular, too long, or no text.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let file = self.root.join(path.trim_start_matches('/'));
        if !fs::metadata(&file).ok()?.is_file() {
            return None;
        }
        let mut text = String::new();
        fs::File::open(file).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
        Some(text)
    }

    pub(super) fn is_pid_file(&self, path: &str) -> bool {
        self.text(path).is_some_and(|pid| pid.trim() == self.pid.to_string())
    }

    pub(super) fn is_dir(&self, path: &str) -> bool {
        self.root.join(path.trim_start_matches('/')).is_dir()
    }

    pub(super) fn account(&self) -> Option<String> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
        let uid = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(User::from_uid(Uid::from_raw(uid)).ok()??.name)
    }
}

/// A path without `.` and `..`, by its text.
pub(super) fn plain(path: &Path) -> String {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain.to_string_lossy().into_owned()
}

pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Folder of an `include` pattern that takes new files ending in `.conf`: `/etc/nginx/conf.d/*.conf`.
pub(super) fn folder_read(pattern: &str) -> Option<&str> {
    let (folder, last) = pattern.rsplit_once('/')?;
    let is_plain = !folder.is_empty() && !folder.contains(['*', '?', '[']);
    (is_plain && matches!(last, "*.conf" | "*")).then_some(folder)
}
