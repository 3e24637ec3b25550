//! What `--version` tells of a program that was built from this workspace. The principal type is [`Program`].

use std::fmt;

/// A program of this workspace: which commit it is of, what it was built for, and what is not in it.
///
/// Shown, it is some lines without the last line's end, of which the first is the name and the version alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// As it is called.
    pub name: &'static str,
    /// Does it trace by eBPF? Its own feature: this library cannot know.
    pub ebpf: bool,
    /// The commit, and its day in UTC (`2026-11-23`); none if cargo was called alone. `scripts/flags.sh` tells them.
    pub commit: Option<(&'static str, &'static str)>,
    /// Is it linked to no library of the system?
    pub linked_to_nothing: bool,
}

// === impl Program ===

impl Program {
    /// The program that this is compiled into.
    #[must_use]
    pub fn this(name: &'static str, ebpf: bool) -> Self {
        let commit = option_env!("UNLADEN_COMMIT").zip(option_env!("UNLADEN_COMMIT_DATE"));
        Self { name, ebpf, commit, linked_to_nothing: cfg!(target_feature = "crt-static") }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{} {}", self.name, env!("CARGO_PKG_VERSION"))?;
        match self.commit {
            Some((commit, day)) => writeln!(formatter, "commit   {commit} of {day}")?,
            None => writeln!(
                formatter,
                "commit   not told: cargo was called alone, and not by scripts/static or scripts/release"
            )?,
        }
        let (arch, system) = (std::env::consts::ARCH, std::env::consts::OS);
        let libc = if cfg!(target_env = "musl") { "musl" } else { "glibc" };
        write!(formatter, "built    for {arch} {system}, ")?;
        if self.linked_to_nothing {
            writeln!(
                formatter,
                "linked to nothing ({libc} is in it: names come from files and DNS, whatever nsswitch.conf says)"
            )?;
        } else {
            writeln!(formatter, "linked to this system's libraries ({libc})")?;
        }
        match self.ebpf {
            true => write!(formatter, "eBPF     is in it"),
            false => write!(formatter, "eBPF     is not in it: nothing is traced, and no stack is sampled"),
        }
    }
}

#[cfg(test)]
mod tests;
