use proptest::prelude::*;

use super::*;

fn addresses(text: &str) -> Vec<SocketAddr> {
    text.split_whitespace().map(|address| format!("{address}:443").parse().unwrap()).collect()
}

fn pairs(text: &str) -> Vec<Vec<SocketAddr>> {
    text.split(',').map(addresses).collect()
}

#[test]
fn families_go_together_and_what_is_left_over_alone() {
    assert_eq!(pair(&[], &[]), Vec::<Vec<SocketAddr>>::new());
    assert_eq!(pair(&addresses("192.0.2.1 192.0.2.2"), &[]), pairs("192.0.2.1,192.0.2.2"));
    assert_eq!(
        pair(&addresses("192.0.2.2 [2001:db8::1] 192.0.2.3 192.0.2.1 [2001:db8::2]"), &[]),
        pairs("192.0.2.3,[2001:db8::1] 192.0.2.1,[2001:db8::2] 192.0.2.2"),
        "IPv6 is tried first"
    );
    assert_eq!(pair(&addresses("[2001:db8::1] [2001:db8::2]"), &[]), pairs("[2001:db8::1],[2001:db8::2]"));
}

#[test]
fn one_less_moves_no_other() {
    let before = pairs("[2001:db8::1] 192.0.2.1,[2001:db8::2] 192.0.2.2,[2001:db8::3] 192.0.2.3");
    let after = pair(&addresses("[2001:db8::2] [2001:db8::3] 192.0.2.2 192.0.2.3"), &before);
    assert_eq!(after, before[1..]);
    let half = pair(&addresses("[2001:db8::1] [2001:db8::2] [2001:db8::3] 192.0.2.2 192.0.2.3"), &before);
    assert_eq!(half, pairs("[2001:db8::1],[2001:db8::2] 192.0.2.2,[2001:db8::3] 192.0.2.3"));
}

fn some() -> impl Strategy<Value = Vec<SocketAddr>> {
    let v4 = (0..8_u8).prop_map(|last| SocketAddr::from(([192, 0, 2, last], 80)));
    let v6 = (0..8_u16).prop_map(|last| SocketAddr::from(([0x2001, 0xdb8, 0, 0, 0, 0, 0, last], 80)));
    prop::collection::vec(prop_oneof![v4, v6], 0..12)
}

proptest! {
    #[test]
    fn each_is_there_once_and_no_pair_could_be_made_more(before in some(), now in some()) {
        let before = pair(&before, &[]);
        let after = pair(&now, &before);
        let mut all: Vec<_> = after.iter().flatten().copied().collect();
        all.sort_unstable();
        let mut expected = now.clone();
        expected.sort_unstable();
        expected.dedup();
        prop_assert_eq!(all, expected);
        for two in after.iter().filter(|pair| pair.len() != 1) {
            prop_assert!(two.len() == 2 && two[0].is_ipv6() && two[1].is_ipv4());
        }
        let alone: Vec<_> = after.iter().filter(|pair| pair.len() == 1).map(|pair| pair[0].is_ipv6()).collect();
        prop_assert!(alone.iter().all(|is_v6| *is_v6 == alone[0]), "two alone of different families");
        for pair in before.iter().filter(|pair| pair.len() == 2 && pair.iter().all(|address| now.contains(address))) {
            prop_assert!(after.contains(pair), "a pair was parted");
        }
    }
}
