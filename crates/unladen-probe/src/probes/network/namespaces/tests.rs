use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;

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
