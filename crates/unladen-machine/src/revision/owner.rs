//! The principal type is [`RunAs`]: with whose rights git may look at a repository.
//!
//! The configuration of a repository can name programs that `git status` starts: filters, a file system monitor. So
//! anyone who can write the repository decides what runs. With its owner's rights, that is no more than the owner can
//! do anyway; with root's rights it could be anything.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

use crate::revision::repository::Repository;

const ROOT: u32 = 0;

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

#[cfg(test)]
mod tests;
