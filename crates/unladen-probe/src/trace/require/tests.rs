use super::{may_trace, number};

#[test]
fn a_namespace_has_a_number() {
    assert_eq!(number("pid:[4026532281]"), Some(4_026_532_281));
    assert_eq!(number("net:[4026532281]"), None);
}

#[test]
fn capabilities_decide() {
    assert!(may_trace("Name:\tx\nCapEff:\t000001ffffffffff\n"));
    assert!(may_trace("CapEff:\t000000c000000000\n"), "CAP_BPF and CAP_PERFMON are enough");
    assert!(!may_trace("CapEff:\t0000008000000000\n"), "CAP_BPF alone is not");
    assert!(!may_trace("CapEff:\t0000000000000000\n"));
}
