//! The principal type is [`Users`]: names of users, by the list that each process sees.

use std::collections::HashMap;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{OFlag, OpenHow, ResolveFlag, open, openat2};
use nix::sys::stat::Mode;
use nix::unistd::{Uid, User};

use crate::regular_file::reopened;

const MOST_BYTES: u64 = 1 << 20;
/// Longest name accepted, as by useradd(8).
const LONGEST_NAME: usize = 32;
const MOST_KNOWN: usize = 10_000;

/// Names of users. In a container, the same number is another user, by its own list (passwd(5)); in a user namespace it
/// is another number (user_namespaces(7)).
#[derive(Debug, Default)]
pub(crate) struct Users {
    here: HashMap<u32, String>,
    /// By the root folder's device and inode, and the number in the container.
    elsewhere: HashMap<(u64, u64, u32), String>,
    root: Option<(u64, u64)>,
}

impl Users {
    /// A user of this machine; the number if it has no name.
    pub(crate) fn here(&mut self, uid: Option<u32>) -> String {
        let Some(uid) = uid else { return "?".into() };
        let name =
            || User::from_uid(Uid::from_raw(uid)).ok().flatten().map_or_else(|| uid.to_string(), |user| user.name);
        self.here.entry(uid).or_insert_with(name).clone()
    }

    /// The user of a process, by the list in its own root folder if it has one; `proc` is the folder of processes.
    pub(crate) fn of_process(&mut self, proc: &Path, pid: i32, uid: Option<u32>) -> String {
        let Some(number) = uid else { return "?".into() };
        let folder = proc.join(pid.to_string());
        let place = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        let ours = match self.root {
            Some(root) => Some(root),
            None => place(Path::new("/")),
        };
        self.root = ours;
        // Without the right to look (ptrace(2)), all count as the machine's.
        let Some(root) = place(&folder.join("root/")).filter(|root| Some(*root) != ours) else {
            return self.here(uid);
        };
        let inner = std::fs::read_to_string(folder.join("uid_map")).ok();
        let number = inner.as_deref().and_then(|map| inside(map, number)).unwrap_or(number);
        let key = (root.0, root.1, number);
        if let Some(known) = self.elsewhere.get(&key) {
            return known.clone();
        }
        let name = beneath(&folder.join("root"), "etc/passwd")
            .and_then(|text| name_in(&text, number))
            .unwrap_or_else(|| number.to_string());
        if self.elsewhere.len() < MOST_KNOWN {
            self.elsewhere.insert(key, name.clone());
        }
        name
    }
}

/// Translates one of our numbers into a user namespace: lines of first inside, first outside, count
/// (proc_pid_uid_map(5)).
fn inside(uid_map: &str, uid: u32) -> Option<u32> {
    uid_map.lines().find_map(|line| {
        let mut numbers = line.split_ascii_whitespace().map(str::parse::<u32>);
        let (inside, outside, count) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
        let offset = uid.checked_sub(outside).filter(|offset| *offset < count)?;
        inside.checked_add(offset)
    })
}

fn name_in(passwd: &str, uid: u32) -> Option<String> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, number) = (fields.next()?, fields.next()?, fields.next()?);
        let is_name =
            !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(|byte| byte.is_ascii_graphic());
        (number.parse() == Ok(uid) && is_name).then(|| name.to_owned())
    })
}

/// Reads a file beneath a root folder that somebody else fills: links do not lead out of it, only regular files are
/// opened, and nothing blocks.
fn beneath(root: &Path, file: &str) -> Option<String> {
    let file = reopened(found(root, file)?).ok()?;
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

fn found(root: &Path, file: &str) -> Option<OwnedFd> {
    let root: PathBuf = root.join("");
    let folder = open(&root, OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty()).ok()?;
    let how = OpenHow::new()
        .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
        .resolve(ResolveFlag::RESOLVE_IN_ROOT | ResolveFlag::RESOLVE_NO_MAGICLINKS);
    openat2(&folder, file, how).ok()
}

#[cfg(test)]
mod tests;
