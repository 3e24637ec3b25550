use super::*;

#[test]
fn what_another_machine_says_of_itself_is_bounded() {
    let said = Standpoint {
        boot_id: Some("\x1b[2J".repeat(9)),
        witness: Some(Witness { pid: u32::MAX, started: i64::MIN, namespace: None }),
        is_hiding: false,
        addresses: vec![IpAddr::from([192, 0, 2, 1]); 100_000],
    };
    let kept = said.checked();
    assert_eq!((kept.boot_id, kept.addresses.len()), (None, MAX_ADDRESSES));
    let id = "0b1c3e64-7c0e-4c25-8d6e-2c5a3f1d9b7e".to_owned();
    let kept = Standpoint { boot_id: Some(id.clone()), ..Standpoint::default() }.checked();
    assert_eq!(kept.boot_id, Some(id));
}

/// Of a kernel whose number cannot be read nothing is known, even beside another one.
#[test]
fn kernels_that_are_not_known_are_not_the_same() {
    let unknown = Standpoint::default();
    assert!(!unknown.is_same_kernel(&unknown.clone()));
    let here = Standpoint::here();
    assert!(here.is_same_kernel(&here.clone()), "{here:?}");
    assert!(here.witness.is_some(), "{here:?}");
    assert!(here.addresses.iter().all(|ip| !ip.is_loopback()), "{here:?}");
}
