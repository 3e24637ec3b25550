//! Content of `--version` of this workspace's programs. The principal type is [`Program`].

use std::fmt;

/// A program of this workspace: its commit, its target, and its missing features.
///
/// Displayed as some lines without the last line's end; the first is only name and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    pub name: &'static str,
    /// Whether it traces by eBPF. The program's own feature: this library cannot know.
    pub ebpf: bool,
    /// Commit, and its day in UTC (`2026-11-23`); `None` if cargo was called directly. `scripts/flags.sh` sets them.
    pub commit: Option<(&'static str, &'static str)>,
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
                "commit   unknown: built with cargo alone, not with scripts/static or scripts/release"
            )?,
        }
        let (arch, system) = (std::env::consts::ARCH, std::env::consts::OS);
        let libc = if cfg!(target_env = "musl") { "musl" } else { "glibc" };
        write!(formatter, "built    for {arch} {system}, ")?;
        if self.linked_to_nothing {
            writeln!(
                formatter,
                "linked statically (with {libc}: names come from files and DNS, whatever nsswitch.conf says)"
            )?;
        } else {
            writeln!(formatter, "linked to this system's libraries ({libc})")?;
        }
        match self.ebpf {
            true => write!(formatter, "eBPF     included"),
            false => write!(formatter, "eBPF     not included: nothing can be traced, and no stacks sampled"),
        }
    }
}

#[cfg(test)]
mod tests;
