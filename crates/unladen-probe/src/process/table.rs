//! The principal type is [`ProcessTable`]: all processes, examined at each edge of a phase.
//!
//! Examining thousands of processes has to be cheap. A process that has not run cannot have counted anything, and
//! whether it ran takes one system call: its CPU clock. So only the *active* ones have their files in /proc read, here
//! and by the probes.
//!
//! The order matters: first the living, then the exit records. A process that ends between the two has both its last
//! clock and its record, and the record has what the clock had not yet seen.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use nix::unistd::{getpid, gettid};

use crate::group::Groups;
use crate::ledger::GroupId;
use crate::process::Stat;
use crate::procfs::{ProbeError, ProcFs, malformed, process_cpu_ns};
use crate::taskstats::{Listener, Record};

const INIT: i32 = 1;

const MAX_ANCESTORS: usize = 32;

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) group: GroupId,
    pub(crate) cpu_ns: u64,
    pub(crate) cpu_grown_ns: u64,
    pub(crate) stat: Stat,
    pub(crate) previous_stat: Stat,
    /// Began since the last look: all its counts are new.
    pub(crate) is_new: bool,
    /// Was not there at the first look, and has been examined once.
    is_young: bool,
    pub(crate) is_active: bool,
    /// Its exit record has come; it may stay in /proc until its parent waits for it.
    has_ended: bool,
    seen_at: u64,
}

#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) pid: i32,
    pub(crate) group: GroupId,
    pub(crate) was_seen: bool,
    /// The living process that waits for it, directly or through ended ones.
    pub(crate) waiter: Option<i32>,
    /// Counts of its whole life, of all its threads together.
    pub(crate) totals: Record,
    /// On-CPU time that no look had seen, as far as its record tells.
    pub(crate) cpu_grown_ns: u64,
}

#[derive(Debug)]
pub(crate) struct ProcessTable {
    pids: Pids,
    processes: HashMap<i32, Process>,
    ended: Vec<Ended>,
    vanished: Vec<Process>,
    thread_ends: Vec<Record>,
    looks: u64,
}

impl ProcessTable {
    pub(crate) fn new() -> Self {
        Self {
            pids: Pids::default(),
            processes: HashMap::new(),
            ended: Vec::new(),
            vanished: Vec::new(),
            thread_ends: Vec::new(),
            looks: 0,
        }
    }

    /// Whether this is the first look: everything it found was there before.
    pub(crate) fn is_first_look(&self) -> bool {
        self.looks == 1
    }

    pub(crate) fn living(&self) -> impl Iterator<Item = &Process> {
        self.processes.values()
    }

    pub(crate) fn active(&self) -> impl Iterator<Item = &Process> {
        self.processes.values().filter(|process| process.is_active)
    }

    pub(crate) fn new_ones(&self) -> impl Iterator<Item = &Process> {
        self.processes.values().filter(|process| process.is_new)
    }

    pub(crate) fn ended(&self) -> &[Ended] {
        &self.ended
    }

    /// No longer in /proc, with or without a record.
    pub(crate) fn vanished(&self) -> &[Process] {
        &self.vanished
    }

    /// Records of ended threads, including those of processes that live on.
    pub(crate) fn thread_ends(&self) -> &[Record] {
        &self.thread_ends
    }

    pub(crate) fn gone(&self) -> impl Iterator<Item = i32> {
        self.vanished.iter().map(|process| process.pid).filter(|pid| !self.processes.contains_key(pid))
    }

    /// The last /proc/PID/stat of a process, also of one that has just gone.
    pub(crate) fn last_stat(&self, pid: i32) -> Option<&Stat> {
        self.find(pid).map(|process| &process.stat)
    }

    pub(crate) fn group_of(&self, pid: i32) -> Option<GroupId> {
        let ended = || self.ended.iter().find(|ended| ended.pid == pid).map(|ended| ended.group);
        self.find(pid).map(|process| process.group).or_else(ended)
    }

    /// The process credited with the time of one that has gone: its parent or, if that has gone at the same time, the
    /// parent's parent and so on, since each passes on what it was credited with; else the one that inherits orphans.
    pub(crate) fn waiter_of(&self, gone: &Process) -> Option<i32> {
        let mut ppid = gone.stat.ppid;
        for _ in 0..MAX_ANCESTORS {
            if self.processes.contains_key(&ppid) {
                return Some(ppid);
            }
            let Some(parent) = self.vanished.iter().find(|process| process.pid == ppid) else { break };
            ppid = parent.stat.ppid;
        }
        self.processes.contains_key(&INIT).then_some(INIT)
    }

    fn find(&self, pid: i32) -> Option<&Process> {
        self.processes.get(&pid).or_else(|| self.vanished.iter().find(|process| process.pid == pid))
    }

    pub(crate) fn look(
        &mut self,
        procfs: &mut ProcFs,
        groups: &mut Groups,
        listener: Option<&mut Listener>,
    ) -> Result<(), ProbeError> {
        self.looks += 1;
        let mut pids = Vec::with_capacity(self.processes.len() + 64);
        pids.extend(self.processes.keys());
        self.pids.find(procfs, Instant::now(), &mut pids, |pid| self.processes.contains_key(&pid))?;
        if pids.is_empty() {
            return Err(ProbeError::Empty { path: procfs.root().to_owned() });
        }
        for pid in pids {
            // Processes end at any time: one that has gone is skipped.
            if let Some(cpu_ns) = process_cpu_ns(pid) {
                self.look_at(pid, cpu_ns, procfs, groups)?;
            }
        }
        let looks = self.looks;
        self.vanished.clear();
        self.vanished
            .extend(self.processes.extract_if(|_, process| process.seen_at != looks).map(|(_, process)| process));
        self.thread_ends.clear();
        if let Some(listener) = listener {
            listener.drain(|record| self.thread_ends.push(record));
        }
        self.note_the_ended(groups);
        Ok(())
    }

    fn look_at(&mut self, pid: i32, cpu_ns: u64, procfs: &mut ProcFs, groups: &mut Groups) -> Result<(), ProbeError> {
        let first_look = self.is_first_look();
        if let Some(known) = self.processes.get_mut(&pid)
            && cpu_ns == known.cpu_ns
        {
            known.seen_at = self.looks;
            known.cpu_grown_ns = 0;
            known.is_active = false;
            known.is_new = false;
            return Ok(());
        }
        let Ok(content) = procfs.of_process(pid, "stat") else { return Ok(()) };
        let stat = Stat::parse(content)
            .ok_or_else(|| malformed(format!("/proc/{pid}/stat"), "the fields of proc_pid_stat(5)", content))?;
        match self.processes.get_mut(&pid) {
            Some(known) if known.stat.start == stat.start => {
                known.cpu_grown_ns = cpu_ns.saturating_sub(known.cpu_ns);
                known.cpu_ns = known.cpu_ns.max(cpu_ns);
                // It became another program (execve), or renamed itself; or it was examined so early that a worker
                // started by root was not yet its user's.
                if known.stat.comm != stat.comm || known.is_young {
                    known.group = groups.of_process(procfs, pid, &stat);
                    known.is_young = false;
                }
                known.previous_stat = std::mem::replace(&mut known.stat, stat);
                known.seen_at = self.looks;
                known.is_active = true;
                known.is_new = false;
            }
            // New, or the pid was reused.
            _ => {
                let group = groups.of_process(procfs, pid, &stat);
                let process = Process {
                    pid,
                    group,
                    cpu_ns,
                    cpu_grown_ns: if first_look { 0 } else { cpu_ns },
                    previous_stat: if first_look { stat.clone() } else { Stat::default() },
                    stat,
                    is_new: !first_look,
                    is_young: !first_look,
                    is_active: true,
                    has_ended: false,
                    seen_at: self.looks,
                };
                if let Some(replaced) = self.processes.insert(pid, process) {
                    self.vanished.push(replaced);
                }
            }
        }
        Ok(())
    }

    /// Merges records of threads into processes. Threads of a process that lives on are already in its own counters.
    /// For a process with several threads that was known before, only the time up to the last look is kept: its records
    /// count from the threads' beginnings.
    fn note_the_ended(&mut self, groups: &mut Groups) {
        self.ended.clear();
        if self.is_first_look() {
            return;
        }
        let mut by_pid: HashMap<i32, (Record, bool)> = HashMap::new();
        for record in &self.thread_ends {
            let is_main = record.tid == record.pid;
            by_pid
                .entry(record.pid)
                .and_modify(|(sum, has_main)| {
                    *sum = if is_main { record.with_counts_of(sum) } else { sum.with_counts_of(record) };
                    *has_main |= is_main;
                })
                .or_insert_with(|| (record.clone(), is_main));
        }
        by_pid.retain(|_, (_, has_main)| *has_main);
        let parents: HashMap<i32, i32> = by_pid.iter().map(|(pid, (totals, _))| (*pid, totals.ppid)).collect();
        for (pid, (totals, _)) in by_pid {
            let known = self
                .processes
                .get_mut(&pid)
                .or_else(|| self.vanished.iter_mut().find(|process| process.pid == pid))
                .filter(|process| !process.has_ended);
            let (group, seen_ns, is_new, was_seen, threads) = match known {
                Some(process) => {
                    process.has_ended = true;
                    (process.group, process.cpu_ns, process.is_new, true, process.stat.threads)
                }
                None => {
                    let parent = self.processes.get(&totals.ppid).map(|parent| parent.group);
                    (groups.of_ended(totals.uid, &totals.comm, parent), 0, true, false, 1)
                }
            };
            if threads > 1 && !is_new {
                continue;
            }
            let waiter = self.waiter(totals.ppid, &parents);
            let cpu_grown_ns = totals.cpu_ns.saturating_sub(seen_ns);
            self.ended.push(Ended { pid, group, was_seen, waiter, totals, cpu_grown_ns });
        }
    }

    fn waiter(&self, mut ppid: i32, parents_of_ended: &HashMap<i32, i32>) -> Option<i32> {
        for _ in 0..MAX_ANCESTORS {
            if self.processes.get(&ppid).is_some_and(|process| !process.has_ended) {
                return Some(ppid);
            }
            ppid = *parents_of_ended.get(&ppid)?;
        }
        None
    }
}

// Listing /proc costs more than asking all processes for their clocks, as the kernel looks up a directory entry for
// each. But the kernel assigns ids in ascending order and reports the latest in /proc/loadavg. So most looks ask the
// known processes and the ids assigned since, and /proc is listed only now and then.

/// One look in this many lists /proc in any case: users that choose ids (clone3(2) with `set_tid`, as CRIU does) need
/// not keep to the order.
const LISTED_EVERY: u32 = 16;

/// After a longer time ids may have wrapped: with as few ids as Linux ever has, 32,768, that takes 16,000 new ones a
/// second.
const LONGEST_GAP: Duration = Duration::from_secs(2);

/// Asking for the clock of an unused id costs about a sixth of listing a process.
const IDS_FOR_A_LISTED_PROCESS: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Mark {
    latest: i32,
    at: Instant,
}

/// The process ids to examine.
#[derive(Debug, Default)]
pub(crate) struct Pids {
    /// The last two looks. A process gets its id some microseconds before it can be asked for anything, so the ids
    /// of the last look are asked for once more.
    marks: [Option<Mark>; 2],
    looks_since_listing: u32,
}

impl Pids {
    /// Puts ids into `pids`, each once, including all processes and many unused ids. `known` tells whether one was
    /// there at the last look; `pids` then already holds them. Fails if /proc cannot be listed.
    pub(crate) fn find(
        &mut self,
        procfs: &mut ProcFs,
        at: Instant,
        pids: &mut Vec<i32>,
        known: impl Fn(i32) -> bool,
    ) -> Result<(), ProbeError> {
        // Before listing: processes that begin meanwhile have later ids, for the next look.
        let now = latest(procfs).map(|latest| Mark { latest, at });
        let since = now.zip(self.marks[0]).and_then(|(now, since)| new_ids(since, now, pids.len()));
        self.marks = [self.marks[1], now];
        match since {
            Some(ids) if self.looks_since_listing + 1 < LISTED_EVERY => {
                self.looks_since_listing += 1;
                // Only the calling thread can be asked by its own id too, and answers for its process.
                let own_thread = Some(gettid()).filter(|tid| *tid != getpid()).map(nix::unistd::Pid::as_raw);
                pids.extend(ids.filter(|&id| !known(id) && Some(id) != own_thread));
            }
            _ => {
                self.looks_since_listing = 0;
                pids.clear();
                procfs.pids(|pid| pids.push(pid))?;
            }
        }
        Ok(())
    }
}

/// The ids assigned between two marks, if that is certain and asking for all of them is worth it.
fn new_ids(since: Mark, now: Mark, known: usize) -> Option<std::ops::RangeInclusive<i32>> {
    let ids = usize::try_from(now.latest.checked_sub(since.latest)?).ok()?;
    let is_certain = now.at.saturating_duration_since(since.at) <= LONGEST_GAP;
    (is_certain && ids <= known * IDS_FOR_A_LISTED_PROCESS).then_some(since.latest + 1..=now.latest)
}

/// The id assigned last: the fifth field of /proc/loadavg (proc_loadavg(5)).
fn latest(procfs: &mut ProcFs) -> Option<i32> {
    let content = procfs.file("loadavg").ok()?;
    std::str::from_utf8(content).ok()?.split_ascii_whitespace().nth(4)?.parse().ok()
}

#[cfg(test)]
mod tests;
