use super::*;

/// A pool of 200 workers had the same tables read 400 times.
#[test]
fn the_tables_of_a_network_were_read_for_each_of_its_processes() {
    let mut read = Vec::new();
    let networks = [(1, Some('a')), (2, Some('a')), (3, Some('b')), (4, None), (5, None), (6, Some('b'))];
    let network = |pid: u32| networks.iter().find(|(of, _)| *of == pid).and_then(|(_, network)| *network);
    let ports = ports_by((1..=6).collect::<Vec<_>>(), network, |table| {
        read.push(table.display().to_string());
        let port = if table.starts_with("/proc/3") { "1F90" } else { "0050" };
        Some(format!("  sl\n 0: 0100007F:{port} 00000000:0000 0A 0:0 0:0 0 33 0 27182\n"))
    });
    assert_eq!(ports, HashSet::from([80, 8080]));
    let expected = ["1", "3", "4", "5"].map(|pid| ["tcp", "tcp6"].map(|family| format!("/proc/{pid}/net/{family}")));
    assert_eq!(read, expected.concat());
}
