use std::fs;

use super::*;
use crate::group::{GroupBy, Groups};
use crate::process::ProcessTable;

/// A folder in place of /proc, and a control group beside it.
struct Fake {
    folder: tempfile::TempDir,
    procfs: ProcFs,
    hierarchy: Hierarchy,
}

impl Fake {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let procfs = ProcFs::new(folder.path());
        let groups = folder.path().join("groups");
        let mountinfo = format!("30 24 0:26 / {} rw - cgroup2 cgroup2 rw\n", groups.display());
        fs::create_dir_all(groups.join("web.service")).unwrap();
        fs::create_dir(folder.path().join("self")).unwrap();
        fs::write(folder.path().join("self/mountinfo"), &mountinfo).unwrap();
        fs::write(folder.path().join("self/cgroup"), "0::/own\n").unwrap();
        fs::create_dir(groups.join("own")).unwrap();
        let fake = Self { folder, procfs, hierarchy: Hierarchy::parse(mountinfo.as_bytes()).unwrap() };
        fake.set(100, 1_000, 10);
        fake
    }

    /// Ticks stolen, µs for which the unit was throttled, and the own group was.
    fn set(&self, stolen: u64, unit_us: u64, own_us: u64) {
        let write = |name: &str, text: String| fs::write(self.folder.path().join(name), text).unwrap();
        write("stat", format!("cpu  9 0 0 9 0 0 0 {stolen} 0 0\ncpu0 9\n"));
        write("groups/web.service/cpu.stat", format!("usage_usec 1\nthrottled_usec {unit_us}\n"));
        write("groups/own/cpu.stat", format!("usage_usec 1\nthrottled_usec {own_us}\n"));
    }

    fn open(&mut self) -> (Steal, Ledger, [CounterId; 2]) {
        let mut ledger = Ledger::default();
        let ids: Vec<CounterId> = ENTRY.counters.iter().map(|counter| ledger.register(*counter)).collect();
        let mut surroundings = Surroundings {
            procfs: &mut self.procfs,
            hierarchy: Some(&self.hierarchy),
            has_exit_records: false,
            may_trace: false,
        };
        (Steal::open(&mut surroundings, &ids).unwrap(), ledger, [ids[0], ids[1]])
    }
}

#[test]
fn what_was_taken_before_the_first_reading_does_not_count() {
    let mut fake = Fake::new();
    let (mut probe, mut ledger, [stolen, throttled]) = fake.open();
    let (table, groups) = (ProcessTable::new(), Groups::new(GroupBy::Auto, 1, false));
    let mut read = |procfs: &mut ProcFs, ledger: &mut Ledger| {
        probe.read(&mut Scene { procfs, table: &table, groups: &groups }, ledger).unwrap();
        ledger.snapshot(0)
    };
    let before = read(&mut fake.procfs, &mut ledger);
    fake.set(103, 1_000, 25);
    let after = read(&mut fake.procfs, &mut ledger);
    let grown: Vec<_> = after.since(&before).collect();
    assert_eq!(grown, [(MACHINE, stolen, 30_000_000), (MACHINE, throttled, 15_000)]);
}

#[test]
fn a_unit_that_was_there_counts_from_the_first_reading_and_a_new_one_from_its_start() {
    let mut fake = Fake::new();
    let (mut probe, mut ledger, [_, throttled]) = fake.open();
    let unit = |path: &str| Group { name: path.into(), kind: GroupKind::Unit { cgroup: Some(path.into()) } };
    let (old, new) = (GroupId(1), GroupId(2));
    let empty = ledger.snapshot(0);
    probe.unit(&mut fake.procfs, old, &unit("/web.service"), true, &mut ledger);
    fake.set(100, 4_000, 10);
    probe.unit(&mut fake.procfs, old, &unit("/web.service"), false, &mut ledger);
    probe.unit(&mut fake.procfs, new, &unit("/own"), false, &mut ledger);
    probe.unit(&mut fake.procfs, GroupId(3), &unit("/gone.service"), false, &mut ledger);
    let all = ledger.snapshot(0);
    let grown: Vec<_> = all.since(&empty).collect();
    assert_eq!(grown, [(old, throttled, 3_000_000), (new, throttled, 10_000)]);
}

#[test]
fn a_stat_of_something_else_is_named() {
    let mut fake = Fake::new();
    fs::write(fake.folder.path().join("stat"), "nothing\n").unwrap();
    let error = stolen_ns(&mut fake.procfs).unwrap_err().to_string();
    assert!(error.contains("/proc/stat") && error.contains("a line `cpu`"), "{error}");
}
