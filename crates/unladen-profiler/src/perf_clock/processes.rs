//! The principal type is [`Processes`]: known mappings of sampled processes.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::time::{Duration, Instant};

use unladen_probe::StackSample;

use super::places::{Backing, Places, StackIndex};

/// Shortest time before a process with unknown code is examined again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Beyond these, processes not examined for [`FORGOTTEN`] are dropped.
const MOST_KNOWN: usize = 4096;

const FORGOTTEN: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Processes(HashMap<u32, Known>);

#[derive(Debug)]
struct Known {
    comm: String,
    mappings: Mappings,
    at: Instant,
}

impl Processes {
    pub(super) fn stack_of(&mut self, sample: &StackSample, places: &mut Places) -> StackIndex {
        let mut stack: Vec<u32> = before_calls(&sample.kernel).map(|address| places.kernel(address)).collect();
        if let Some(leaf) = sample.user.first() {
            self.look(sample, *leaf);
            match self.mappings(sample, *leaf) {
                Some(mappings) => stack.extend(
                    before_calls(&sample.user)
                        // If the program keeps something else than frames, the rest is no code, or not what was called.
                        .map_while(|address| Some((address, mappings.at(address)?)))
                        .map(|(address, mapping)| place(places, sample, mapping, address)),
                ),
                None => stack.push(places.ended(sample.pid, &sample.comm)),
            }
        }
        places.stack(stack)
    }

    fn look(&mut self, sample: &StackSample, leaf: u64) {
        if let Some(known) = self.0.get(&sample.pid)
            && (known.mappings.at(leaf).is_some() || known.at.elapsed() < LOOK_AGAIN)
        {
            return;
        }
        if self.0.len() >= MOST_KNOWN {
            self.0.retain(|_, known| known.at.elapsed() < FORGOTTEN);
        }
        let comm = sample.comm.clone();
        match (Mappings::of(sample.pid), self.0.get_mut(&sample.pid)) {
            (Some(mappings), _) => {
                self.0.insert(sample.pid, Known { comm, mappings, at: Instant::now() });
            }
            (None, Some(known)) => known.at = Instant::now(),
            // It was too short-lived; the process that forked it may exist, and share its code.
            (None, None) => self.look_at_parent(sample.parent),
        }
    }

    fn look_at_parent(&mut self, pid: u32) {
        if self.0.get(&pid).is_some_and(|known| known.at.elapsed() < LOOK_AGAIN) {
            return;
        }
        let comm = std::fs::read_to_string(format!("/proc/{pid}/comm"));
        if let (Ok(comm), Some(mappings)) = (comm, Mappings::of(pid)) {
            let comm = comm.trim_end_matches('\n').to_owned();
            self.0.insert(pid, Known { comm, mappings, at: Instant::now() });
        }
    }

    /// The mappings with the address: a process that ended before it was examined uses its parent's, if it was forked
    /// by that and has run no other program.
    fn mappings(&self, sample: &StackSample, leaf: u64) -> Option<&Mappings> {
        let own = self.0.get(&sample.pid);
        let parent = || self.0.get(&sample.parent).filter(|parent| parent.comm == sample.comm);
        own.or_else(parent).map(|known| &known.mappings).filter(|mappings| mappings.at(leaf).is_some())
    }
}

fn place(places: &mut Places, sample: &StackSample, mapping: &Mapping, address: u64) -> u32 {
    places.mapped(sample.pid, &sample.comm, &mapping.backing, mapping.offset_of(address), address)
}

/// All except the first are return addresses, which can lie in the next function: the call is before that.
fn before_calls(addresses: &[u64]) -> impl Iterator<Item = u64> {
    addresses.iter().enumerate().map(|(index, address)| if index == 0 { *address } else { address.saturating_sub(1) })
}

/// A process with more mappings is not examined: the kernel's own limit (vm.max_map_count) allows some 10 MB.
const MOST_BYTES: u64 = 32 << 20;

/// A process's mappings of code, in order of addresses.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Mappings(Vec<Mapping>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    backing: Backing,
}

impl Mappings {
    fn of(pid: u32) -> Option<Self> {
        let mut text = Vec::new();
        File::open(format!("/proc/{pid}/maps")).ok()?.take(MOST_BYTES).read_to_end(&mut text).ok()?;
        Some(Self::parse(&text)).filter(|mappings| !mappings.0.is_empty())
    }

    fn parse(text: &[u8]) -> Self {
        let mut all: Vec<Mapping> = text.split(|byte| *byte == b'\n').filter_map(mapping).collect();
        all.sort_by_key(|mapping| mapping.start);
        Self(all)
    }

    fn at(&self, address: u64) -> Option<&Mapping> {
        let after = self.0.partition_point(|mapping| mapping.start <= address);
        self.0.get(after.checked_sub(1)?).filter(|mapping| address < mapping.end)
    }
}

impl Mapping {
    fn offset_of(&self, address: u64) -> u64 {
        address.saturating_sub(self.start).saturating_add(self.offset)
    }
}

/// A line about code: `7f00-7f10 r-xp 00001000 08:01 4711      /usr/lib/a b.so`.
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
        // The file was replaced while it runs, for instance by an upgrade.
        Backing::File { path: path.strip_suffix(" (deleted)").unwrap_or(path).to_owned(), inode }
    };
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    Some(Mapping { start: hex(start)?, end: hex(end)?, offset: hex(offset)?, backing })
}

#[cfg(test)]
mod tests;
