//! Read and write calls with their bytes, and bytes that reach the disk.

use std::collections::HashMap;
use std::io::ErrorKind;

use crate::ledger::{Counter, CounterId, GroupId, Ledger, Unit};
use crate::probe::{Probe, ProbeEntry, Scene, Shortfall};
use crate::process::Io;
use crate::procfs::ProbeError;

pub(super) const ENTRY: ProbeEntry = ProbeEntry {
    name: "io",
    about: "read and write calls, their bytes, and bytes from and to disk",
    counters: &[
        Counter::exact("read_calls", Unit::Count, "read calls", "read(2) and similar calls; not recv(2)"),
        Counter::exact("write_calls", Unit::Count, "write calls", "write(2) and similar calls; not send(2)"),
        Counter::exact(
            "read_bytes",
            Unit::Bytes,
            "bytes read",
            "bytes those calls returned, from disk, cache, pipe or socket",
        ),
        Counter::exact("write_bytes", Unit::Bytes, "bytes written", "bytes those calls took"),
        Counter::exact("disk_read_bytes", Unit::Bytes, "disk bytes read", "bytes fetched from storage"),
        Counter::exact(
            "disk_write_bytes",
            Unit::Bytes,
            "disk bytes written",
            "bytes made dirty, to be written to storage",
        ),
    ],
    open: |surroundings, ids| {
        let may_trace = surroundings.may_trace;
        Ok(Box::new(IoProbe { ids, last: HashMap::new(), owed: HashMap::new(), may_trace, some_hidden: false }))
    },
};

struct IoProbe {
    ids: Vec<CounterId>,
    last: HashMap<i32, Io>,
    /// By parent: counts of ended children seen while they lived. The kernel adds a child's counts to its parent's when
    /// the parent waits for it, and they must not count twice. The rest, which no reading had seen, stays with the
    /// parent: exit records round these counts down to multiples of 1,024.
    owed: HashMap<i32, Io>,
    /// What is unreadable even with that privilege is unreadable for everyone.
    may_trace: bool,
    some_hidden: bool,
}

impl IoProbe {
    fn add(&self, group: GroupId, io: &Io, ledger: &mut Ledger) {
        let values =
            [io.read_calls, io.write_calls, io.read_bytes, io.write_bytes, io.disk_read_bytes, io.disk_write_bytes];
        for (id, value) in self.ids.iter().zip(values) {
            ledger.add(group, *id, value);
        }
    }
}

impl Probe for IoProbe {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        for child in scene.table.vanished() {
            if let (Some(seen), Some(waiter)) = (self.last.remove(&child.pid), scene.table.waiter_of(child)) {
                let owed = self.owed.entry(waiter).or_default();
                *owed = owed.plus(&seen);
            }
            self.owed.remove(&child.pid);
        }
        for process in scene.table.active() {
            let now = match scene.procfs.of_process(process.pid, "io") {
                Ok(content) => Io::parse(content),
                Err(error) => {
                    // Kernel threads and processes that have just ended have none either.
                    self.some_hidden |= error.kind() == ErrorKind::PermissionDenied && !process.stat.kernel_thread;
                    None
                }
            };
            let Some(now) = now else { continue };
            let before = self.last.insert(process.pid, now).or(process.is_new.then(Io::default));
            let Some(before) = before else { continue };
            let mut grown = now.since(&before);
            if let Some(owed) = self.owed.get_mut(&process.pid) {
                (grown, *owed) = (grown.since(owed), owed.since(&grown));
            }
            self.add(process.group, &grown, ledger);
        }
        Ok(())
    }

    fn shortfall(&self) -> Option<Shortfall> {
        (self.some_hidden && !self.may_trace)
            .then_some(Shortfall { missing: "read, write and disk counts of other users' processes", takes: "root" })
    }
}
