//! The principal type is [`Mappings`]: which files' code lies where in a process (proc_pid_maps(5)).

use std::fs::File;
use std::io::Read;

/// A process of more mappings than fit here is not looked into: the kernel's own limit (vm.max_map_count) allows some
/// 10 MB.
const MOST_BYTES: u64 = 32 << 20;

/// Where code lies; in the order of addresses.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Mappings(Vec<Mapping>);

/// One stretch of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    pub(super) backing: Backing,
}

/// Where code comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Backing {
    /// A file, by its path and number; either may be that of another one by now.
    File { path: String, inode: u64 },
    /// The kernel's own, such as `[vdso]`.
    Kernel(String),
    /// Made by the process itself.
    Anonymous,
}

impl Mappings {
    /// Those of a process; none if it has ended.
    pub(super) fn of(pid: u32) -> Option<Self> {
        let mut text = Vec::new();
        File::open(format!("/proc/{pid}/maps")).ok()?.take(MOST_BYTES).read_to_end(&mut text).ok()?;
        Some(Self::parse(&text)).filter(|mappings| !mappings.0.is_empty())
    }

    fn parse(text: &[u8]) -> Self {
        let mut all: Vec<Mapping> = text.split(|byte| *byte == b'\n').filter_map(mapping).collect();
        all.sort_by_key(|mapping| mapping.start);
        Self(all)
    }

    /// The one that an address lies in.
    pub(super) fn at(&self, address: u64) -> Option<&Mapping> {
        let after = self.0.partition_point(|mapping| mapping.start <= address);
        self.0.get(after.checked_sub(1)?).filter(|mapping| address < mapping.end)
    }
}

impl Mapping {
    /// Where in the file an address is.
    pub(super) fn offset_of(&self, address: u64) -> u64 {
        address.saturating_sub(self.start).saturating_add(self.offset)
    }
}

/// A line, if it is of code: `7f00-7f10 r-xp 00001000 08:01 4711      /usr/lib/a b.so`.
fn mapping(line: &[u8]) -> Option<Mapping> {
    let line = String::from_utf8_lossy(line);
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let rights = fields.next()?;
    let offset = fields.next()?;
    let _device = fields.next()?;
    let inode = fields.next()?.parse().ok()?;
    let path = fields.next().unwrap_or_default().trim_start();
    if rights.as_bytes().get(2) != Some(&b'x') {
        return None;
    }
    let backing = if path.starts_with('[') && inode == 0 {
        match path {
            "[vdso]" | "[vsyscall]" => Backing::Kernel(path.to_owned()),
            _ => Backing::Anonymous, // [heap], [stack], [anon:…]
        }
    } else if inode == 0 || path.starts_with("/memfd:") || path.starts_with("/dev/zero") {
        Backing::Anonymous
    } else {
        // A file that was replaced while it runs, as after an upgrade.
        Backing::File { path: path.strip_suffix(" (deleted)").unwrap_or(path).to_owned(), inode }
    };
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    Some(Mapping { start: hex(start)?, end: hex(end)?, offset: hex(offset)?, backing })
}

#[cfg(test)]
mod tests;
