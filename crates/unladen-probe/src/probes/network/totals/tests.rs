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
