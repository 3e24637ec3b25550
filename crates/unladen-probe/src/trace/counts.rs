//! Counts of the kernel's part. The principal type is [`Counts`].
//!
//! Counts are never reset in the kernel, which would lose what is counted meanwhile: earlier values are kept here and
//! subtracted.

use std::collections::{HashMap, HashSet};

use libbpf_rs::{MapCore, MapFlags};
use unladen_trace::{Count, Countable, Event, What};

use super::TraceError;
use super::record::NOBODY;

/// `NUMBER_CLASS_LOOKUP` in bpf/record.h.
const CLASS_LOOKUP: u16 = 0xffff;

/// `struct count_key` in bpf/record.h.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) pid: u32,
    pub(super) group: u32,
    pub(super) number: u16,
    pub(super) errno: u16,
}

/// `struct watched` in bpf/record.h.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WatchedEntry {
    pub(super) group: u32,
    pub(super) own: bool,
    pub(super) cpu_ns: u64,
    pub(super) children: u32,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    calls: HashMap<Key, (u64, u64)>,
    cpu: HashMap<u32, u64>,
    lost: u64,
}

impl Key {
    pub(super) fn from_raw(raw: &[u8]) -> Option<Self> {
        let (pid, rest) = raw.split_first_chunk()?;
        let (group, rest) = rest.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (errno, _) = rest.split_first_chunk()?;
        Some(Self {
            pid: u32::from_ne_bytes(*pid),
            group: u32::from_ne_bytes(*group),
            number: u16::from_ne_bytes(*number),
            errno: u16::from_ne_bytes(*errno),
        })
    }

    pub(super) fn raw(self) -> [u8; 12] {
        let mut raw = [0; 12];
        raw[..4].copy_from_slice(&self.pid.to_ne_bytes());
        raw[4..8].copy_from_slice(&self.group.to_ne_bytes());
        raw[8..10].copy_from_slice(&self.number.to_ne_bytes());
        raw[10..].copy_from_slice(&self.errno.to_ne_bytes());
        raw
    }
}

impl WatchedEntry {
    pub(super) fn from_raw(raw: &[u8]) -> Option<Self> {
        let (group, rest) = raw.split_first_chunk()?;
        let (own, rest) = rest.split_first_chunk()?;
        let (cpu_ns, rest) = rest.split_first_chunk()?;
        let (children, _) = rest.split_first_chunk()?;
        Some(Self {
            group: u32::from_ne_bytes(*group),
            own: u32::from_ne_bytes(*own) != 0,
            cpu_ns: u64::from_ne_bytes(*cpu_ns),
            children: u32::from_ne_bytes(*children),
        })
    }

    pub(super) fn raw(self) -> [u8; 24] {
        let mut raw = [0; 24];
        raw[..4].copy_from_slice(&self.group.to_ne_bytes());
        raw[4..8].copy_from_slice(&u32::from(self.own).to_ne_bytes());
        raw[8..16].copy_from_slice(&self.cpu_ns.to_ne_bytes());
        raw[16..20].copy_from_slice(&self.children.to_ne_bytes());
        raw
    }
}

/// Number of calls, and total time.
pub(super) fn lookup(counts: &impl MapCore, key: Key) -> Result<(u64, u64), TraceError> {
    let failed = |error| TraceError::failed("reading counts", error);
    let raw = counts.lookup(&key.raw(), MapFlags::ANY).map_err(failed)?.unwrap_or_default();
    Ok(pair(&raw).unwrap_or_default())
}

fn pair(raw: &[u8]) -> Option<(u64, u64)> {
    let (times, rest) = raw.split_first_chunk()?;
    let (time_ns, _) = rest.split_first_chunk()?;
    Some((u64::from_ne_bytes(*times), u64::from_ne_bytes(*time_ns)))
}

impl Counts {
    pub(super) fn take(
        &mut self,
        counts: &impl MapCore,
        watched: &impl MapCore,
        events: &[Event],
    ) -> Result<Vec<Count>, TraceError> {
        let followed = read_watched(watched)?;
        let mut taken = Vec::new();
        self.take_cpu(&followed, events, &mut taken);
        let alive: HashSet<u32> = followed.iter().map(|(pid, _)| *pid).collect();
        // All keys first: once the current key has gone, the kernel starts again from the beginning.
        let keys: Vec<_> = counts.keys().collect();
        for raw in keys {
            let Some(key) = Key::from_raw(&raw) else { continue };
            let (times, time_ns) = lookup(counts, key)?;
            let before = self.calls.insert(key, (times, time_ns)).unwrap_or_default();
            if times > before.0 && key.group != NOBODY {
                let of = match key.number {
                    CLASS_LOOKUP => Countable::ClassLookup,
                    number => Countable::Syscall { number: number.into(), errno: key.errno },
                };
                taken.push(Count {
                    group: key.group,
                    pid: key.pid,
                    of,
                    times: times - before.0,
                    time_ns: time_ns.saturating_sub(before.1),
                });
            }
            // An ended process makes no more events.
            if !alive.contains(&key.pid) {
                self.calls.remove(&key);
                let _ = counts.delete(&raw);
            }
        }
        Ok(taken)
    }

    fn take_cpu(&mut self, followed: &[(u32, WatchedEntry)], events: &[Event], taken: &mut Vec<Count>) {
        let mut cpu = |group, pid, before: u64, now: u64| {
            if now > before {
                taken.push(Count { group, pid, of: Countable::Cpu, times: 0, time_ns: now - before });
            }
        };
        for event in events {
            if let What::Exit { cpu_ns } = event.what {
                cpu(event.group, event.pid, self.cpu.remove(&event.pid).unwrap_or_default(), cpu_ns);
            }
        }
        for (pid, entry) in followed.iter().filter(|(_, entry)| entry.own) {
            let before = self.cpu.insert(*pid, entry.cpu_ns).unwrap_or_default();
            cpu(entry.group, *pid, before, entry.cpu_ns);
        }
    }

    pub(super) fn newly_lost(&mut self, lost: &impl MapCore) -> Result<u64, TraceError> {
        let failed = |error| TraceError::failed("reading counts", error);
        let by_processor = lost.lookup_percpu(&0_u32.to_ne_bytes(), MapFlags::ANY).map_err(failed)?.unwrap_or_default();
        let now = by_processor.iter().filter_map(|raw| raw.first_chunk().map(|raw| u64::from_ne_bytes(*raw))).sum();
        Ok(now - std::mem::replace(&mut self.lost, now))
    }
}

pub(super) fn read_watched(watched: &impl MapCore) -> Result<Vec<(u32, WatchedEntry)>, TraceError> {
    let keys: Vec<_> = watched.keys().collect();
    let mut all = Vec::with_capacity(keys.len());
    for raw in keys {
        let entry = watched
            .lookup(&raw, MapFlags::ANY)
            .map_err(|error| TraceError::failed("reading which processes are followed", error))?;
        let pid = raw.first_chunk().map(|raw| u32::from_ne_bytes(*raw));
        if let (Some(pid), Some(entry)) = (pid, entry.as_deref().and_then(WatchedEntry::from_raw)) {
            all.push((pid, entry));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
