use super::*;

fn work(ns: [f64; 3], error: f64) -> Vec<Reference> {
    let names = ["arithmetic", "memory", "syscalls"];
    let reference = |(name, ns): (&str, f64)| Reference {
        name: name.into(),
        ns,
        low: ns * (1.0 - error),
        high: ns * (1.0 + error),
    };
    names.into_iter().zip(ns).map(reference).collect()
}

#[test]
fn kinds_that_agree_make_one_ratio() {
    let (speed, clocks) = speed(&work([100.0, 200.0, 300.0], 0.002), &work([120.0, 241.0, 359.0], 0.002)).unwrap();
    let ratio = speed.ratio.unwrap();
    assert!((ratio.value - 1.2).abs() < 0.002 && ratio.low < 1.2 && 1.2 < ratio.high && speed.disagreement.is_none());
    assert_eq!(clocks.unwrap().names, ["arithmetic", "memory", "syscalls"]);
}

#[test]
fn kinds_that_differ_a_little_widen_it() {
    let before = work([100.0; 3], 0.002);
    let width = |after: [f64; 3]| {
        let ratio = speed(&before, &work(after, 0.002)).unwrap().0.ratio.unwrap();
        ratio.high - ratio.low
    };
    assert!(width([100.0, 104.0, 100.0]) > 5.0 * width([101.0; 3]));
}

#[test]
fn kinds_that_disagree_make_none() {
    let (speed, clocks) = speed(&work([100.0; 3], 0.01), &work([100.0, 130.0, 101.0], 0.01)).unwrap();
    assert!(speed.ratio.is_none() && clocks.is_none());
    assert_eq!(
        speed.disagreement.unwrap(),
        "parts of the machine's reference work disagree about its speed: arithmetic took ×1.00 the time, memory took \
         ×1.30 the time"
    );
}

#[test]
fn work_without_a_time_does_not_count() {
    let broken = work([0.0, f64::NAN, -1.0], 0.01);
    assert!(speed(&broken, &work([1.0; 3], 0.01)).is_none() && speed(&[], &[]).is_none());
    assert_eq!(level(&work([1.0; 3], 0.01), &[]), None);
}

#[test]
fn pieces_of_different_versions_are_no_common_kind() {
    let of_version = |version| {
        let reference = work([100.0; 3], 0.002);
        references(&Machine { reference, reference_version: version, ..Machine::default() })
    };
    assert!(speed(&of_version(Some(1)), &of_version(Some(2))).is_none());
    assert!(speed(&of_version(Some(2)), &of_version(Some(2))).is_some());
    assert!(speed(&of_version(None), &of_version(Some(1))).is_some(), "documents from before there were versions");
}
