//! Programs and libraries that a process runs. The principal type is [`Mapped`].

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mapped {
    /// Device and inode, as the kernel writes them.
    pub(super) file: (String, u64),
    /// As the process sees it.
    pub(super) path: String,
    /// Addresses, which name its link in /proc/PID/map_files.
    range: String,
}

/// Each file once; empty if the process has ended.
pub(super) fn mapped(pid: u32) -> Vec<Mapped> {
    parse(&std::fs::read(format!("/proc/{pid}/maps")).unwrap_or_default())
}

/// Lines as `55d0-55e0 r-xp 00001000 fe:00 1234   /usr/sbin/php-fpm8.2 (deleted)`.
fn parse(maps: &[u8]) -> Vec<Mapped> {
    let maps = String::from_utf8_lossy(maps);
    let mut all: Vec<Mapped> = maps
        .lines()
        .filter_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (rights, rest) = rest.split_once(' ')?;
            let (_offset, rest) = rest.split_once(' ')?;
            let (device, rest) = rest.split_once(' ')?;
            let (inode, path) = rest.split_once(' ')?;
            let path = path.trim_start();
            let path = path.strip_suffix(" (deleted)").unwrap_or(path).to_owned();
            let code = rights.contains('x') && path.starts_with('/');
            // map_files writes addresses without leading zeros.
            let (from, to) = range.split_once('-')?;
            let range = format!("{}-{}", plain(from), plain(to));
            code.then(|| inode.parse().ok().map(|inode| Mapped { file: (device.to_owned(), inode), path, range }))?
        })
        .collect();
    all.sort_by(|a, b| a.file.cmp(&b.file));
    all.dedup_by(|a, b| a.file == b.file);
    all
}

fn plain(address: &str) -> &str {
    let plain = address.trim_start_matches('0');
    if plain.is_empty() { "0" } else { plain }
}

impl Mapped {
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Paths that open it from here, best first. The link leads to the very file, also in containers and after an
    /// upgrade, but takes more privilege than the path as the process sees it.
    pub(super) fn openable(&self, pid: u32) -> [PathBuf; 2] {
        [format!("/proc/{pid}/map_files/{}", self.range).into(), format!("/proc/{pid}/root{}", self.path).into()]
    }
}

#[cfg(test)]
mod tests;
