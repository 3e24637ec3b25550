use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;

#[test]
fn the_numbers_are_found_by_their_names() {
    let snmp =
        b"Ip: Forwarding\nIp: 1\nTcp: RtoMin ActiveOpens PassiveOpens InSegs RetransSegs\nTcp: 200 11 12 900 3\n";
    assert_eq!(tcp(snmp), Some([11, 12, 3]));
    assert_eq!(tcp(b"Tcp: RtoMin\n"), None);
}

fn totals(dev: &str) -> Totals {
    let dev = format!("Inter-| Receive | Transmit\n face |bytes\n{dev}");
    Totals { tcp: [0; 3], interfaces: interfaces(dev.as_bytes()).unwrap() }
}

#[test]
fn the_loopback_is_kept_apart_from_the_wire() {
    let before = totals("    lo: 0 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0\n  eth0:0 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0\n");
    let after = totals("    lo: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n  eth0:7 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n");
    assert_eq!(after.since(&before), Grown([0, 0, 0, 100, 12]));
}

/// A container that ended took its gigabytes off the sum, and the wire seemed to have stood still.
#[test]
fn an_interface_that_goes_takes_nothing_from_others() {
    let eth = |bytes: u64| format!("  eth0: {bytes} 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0\n");
    let veth = "  veth1: 9000000 1 0 0 0 0 0 0 9000000 1 0 0 0 0 0 0\n";
    let (with, without) = (totals(&(eth(100) + veth)), totals(&eth(150)));
    assert_eq!(without.since(&with), Grown([0, 0, 0, 0, 50]));
    assert_eq!(totals(&(eth(170) + veth)).since(&without), Grown([0, 0, 0, 0, 20]));
}

fn network(proc: &Path, process: &str, inode: u32, opened: u64, sent: u64) {
    let folder = proc.join(process);
    fs::create_dir_all(folder.join("ns")).unwrap();
    fs::create_dir_all(folder.join("net")).unwrap();
    let _ = symlink(format!("net:[{inode}]"), folder.join("ns/net"));
    let snmp = format!("Tcp: ActiveOpens PassiveOpens RetransSegs\nTcp: {opened} 0 0\n");
    fs::write(folder.join("net/snmp"), snmp).unwrap();
    let dev = format!("Inter-|\n face |\n  eth0: 0 0 0 0 0 0 0 0 {sent} 0 0 0 0 0 0 0\n");
    fs::write(folder.join("net/dev"), dev).unwrap();
}

#[test]
fn a_network_of_one_group_alone_or_of_a_pod_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let proc = folder.path();
    let names = ["nginx.service", "container web", "pod shop/web", "pod shop/web/php", "a", "b"];
    let processes = || [(1, 9, 0), (2, 9, 1), (3, 9, 2), (4, 9, 3), (5, 9, 4), (6, 9, 5)];
    let mut namespaces = Namespaces::default();
    let mut procfs = ProcFs::new(proc);
    let mut read = |factor: u64| {
        for (process, inode) in [("self", 1), ("1", 1), ("2", 20), ("3", 30), ("4", 30), ("5", 40), ("6", 40)] {
            network(proc, process, inode, factor * 2, factor * u64::from(inode));
        }
        let processes = processes().into_iter().map(|(pid, start, group)| (pid, start, GroupId(group)));
        let grown = namespaces.read(&mut procfs, processes, |group| names[group.index()]);
        grown.into_iter().map(|(group, grown)| (names[group.index()], grown.0)).collect::<Vec<_>>()
    };
    assert_eq!(read(1), []);
    // What strangers share is nobody's, and what this machine has is told as its own.
    assert_eq!(read(4), [("container web", [6, 0, 0, 0, 60]), ("pod shop/web", [6, 0, 0, 0, 90])]);
    assert_eq!(read(4), [("container web", [0; 5]), ("pod shop/web", [0; 5])]);
}
