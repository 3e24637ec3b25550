use proptest::prelude::*;

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

#[test]
fn a_process_sees_itself_and_its_child_and_nobody_who_is_not_there() {
    let own = Witness::here().unwrap();
    assert_eq!(own.pid, std::process::id());
    let mut child = std::process::Command::new("sleep").arg("30").spawn().unwrap();
    let stat = std::fs::read(format!("/proc/{}/stat", child.id())).unwrap();
    let below = Witness { pid: child.id(), started: started(&stat).unwrap(), ..own };
    let earlier = Witness { started: own.started - 2, ..own };
    let other = Witness { pid: own.pid + 1_000_000_000, ..own };
    // Of another container, with the same number and begun at the same moment.
    let twin = Witness { namespace: own.namespace.map(|inode| inode + 1), ..own };
    assert_eq!(Standpoint::sees(&[own, earlier, below, other, twin]), [true, false, true, false, false]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(Standpoint::sees(&[below]), [false]);
}

#[test]
fn a_process_of_another_user_is_known_by_the_very_moment() {
    let own = Witness { pid: 7, started: 1_000, namespace: Some(4_026_531_836) };
    assert!(own.is(&Witness { started: 1_001, ..own }), "rounded in another time namespace");
    let hidden = Witness { namespace: None, ..own };
    assert!(own.is(&hidden) && !own.is(&Witness { started: 1_001, ..hidden }));
    assert!(!own.is(&Witness { pid: 8, ..own }));
}

#[test]
fn the_innermost_number_and_the_beginning_are_read() {
    let status = b"Name:\ta b\nTgid:\t4711\nNSpid:\t4711\t17\t1\nVmPeak:\t1 kB\n";
    assert_eq!(innermost(status), Some(1));
    assert_eq!(innermost(b"Name:\tx\nTgid:\t12\n"), Some(12));
    assert_eq!(innermost(b"Name:\tx\n"), None);
    let stat = b"7 (a) b (c) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 998877 2 3\n";
    assert_eq!(started(stat), Some(998_877));
    assert_eq!(ticks_of_boot(b"monotonic           0         0\nboottime        86400  20000000\n"), Some(8_640_002));
    assert_eq!(ticks_of_boot(b"boottime -5 0\n"), Some(-500));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        let _ = (started(&bytes), innermost(&bytes), ticks_of_boot(&bytes));
    }
}
