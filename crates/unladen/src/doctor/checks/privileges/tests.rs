use super::*;
use crate::doctor::row::Verdict;

#[test]
fn each_lack_is_named_with_what_it_would_add() {
    let rows = of_status("Uid:\t65534\t65534\t65534\t65534\nCapEff:\t0000008000080000\nNoNewPrivs:\t0\nSeccomp:\t0\n");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].what, "user 65534, without CAP_PERFMON, CAP_NET_ADMIN");
    assert_eq!(rows[0].why, "as root, you would also get stacks of any process, the CPU of short-lived processes");
    assert_eq!(rows[0].fix, ["sudo unladen doctor"]);
}

#[test]
fn where_sudo_does_nothing_it_is_not_advised() {
    let rows = of_status("Uid:\t7\t7\t7\t7\nCapEff:\t0\nNoNewPrivs:\t1\nSeccomp:\t2\n");
    assert!(rows[0].fix.is_empty() && rows[0].advice.contains("no_new_privs"), "{rows:?}");
    assert_eq!((rows[1].verdict, &*rows[1].what), (Verdict::Limited, "system calls are filtered (seccomp)"));
}

#[test]
fn root_is_all_of_it_unless_restricted() {
    let all = of_status("Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nSeccomp:\t0\n");
    assert_eq!((all.len(), all[0].verdict), (1, Verdict::Ok));
    // CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_NET_ADMIN: kernels before 5.8 know no others.
    assert_eq!(of_status("Uid:\t0\t0\t0\t0\nCapEff:\t0000000000281000\n")[0].verdict, Verdict::Ok);
    let bare = of_status("Uid:\t0\t0\t0\t0\nCapEff:\t0000000000000000\n");
    assert!(bare[0].advice.contains("--cap-add BPF --cap-add PERFMON"), "{bare:?}");
}

#[test]
fn the_hard_limit_counts() {
    assert_eq!((of_limit(1_024, true).verdict, of_limit(4_096, true).verdict), (Verdict::Limited, Verdict::Ok));
    let bound = of_limit(1_024, false);
    assert!(bound.fix.is_empty() && bound.advice.contains("LimitNOFILE"), "{bound:?}");
}

#[test]
fn a_kernel_may_let_anybody_in() {
    assert!(permitted(1_024, true).is_none() && permitted(80, false).is_none());
    assert!(permitted(1_024, false).is_some_and(|row| row.fix[0].ends_with("port_start=80")));
}
