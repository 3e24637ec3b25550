//! The principal type is [`Server`]: a server's first process, and what its paths mean. [`CommandLine`] is what it
//! was started with.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use nix::unistd::{Uid, User};

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

/// What a process was started with, or the title that has overwritten it.
pub(super) struct CommandLine {
    words: Vec<String>,
}

impl CommandLine {
    /// Splits `/proc/PID/cmdline`, whose words end with NUL. A title is one word, padded.
    pub(super) fn of(cmdline: &[u8]) -> Self {
        let words = cmdline.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
        let mut words: Vec<String> = words.collect();
        while words.last().is_some_and(String::is_empty) {
            words.pop();
        }
        Self { words }
    }

    /// The title, or the first word.
    pub(super) fn title(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The last value of an option of one letter: `-c FILE`, `-cFILE`.
    pub(super) fn option(&self, letter: char) -> Option<&str> {
        let mut words = self.words.iter().skip(1);
        let mut found = None;
        while let Some(word) = words.next() {
            let Some(rest) = word.strip_prefix('-').and_then(|word| word.strip_prefix(letter)) else { continue };
            found = if rest.is_empty() { words.next().map(String::as_str) } else { Some(rest) };
        }
        found
    }

    /// The last value of a long option: `--name=VALUE`.
    pub(super) fn long_option(&self, name: &str) -> Option<&str> {
        let words = self.words.iter().skip(1).rev();
        words.into_iter().find_map(|word| word.strip_prefix("--")?.strip_prefix(name)?.strip_prefix('='))
    }

    /// The value of an option within a title, whose words are separated by blanks alone: up to the next option of one
    /// letter, as a path may contain blanks.
    pub(super) fn option_in_title(&self, letter: char) -> Option<&str> {
        let title = self.title();
        let (_, rest) = title.rsplit_once(&format!(" -{letter} "))?;
        let is_option = |at: &usize| {
            let mut letters = rest[at + 2..].chars();
            letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
                && letters.next().is_none_or(|after| after == ' ')
        };
        let end = rest.match_indices(" -").map(|(at, _)| at).find(is_option).unwrap_or(rest.len());
        Some(rest[..end].trim()).filter(|value| !value.is_empty())
    }
}
