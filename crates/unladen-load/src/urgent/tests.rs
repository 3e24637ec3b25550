use super::*;

#[test]
fn it_ends_with_its_holder() {
    // SAFETY: as above.
    let policy = || unsafe { libc::sched_getscheduler(0) };
    let before = policy();
    match Urgent::begin() {
        Some(urgent) => {
            assert_eq!(policy() & !libc::SCHED_RESET_ON_FORK, libc::SCHED_RR);
            assert!(Urgent::begin().is_none(), "one that is urgent already stays so");
            drop(urgent);
        }
        None => eprintln!("not looked at: this user may not have real-time priority"),
    }
    assert_eq!(policy() & !libc::SCHED_RESET_ON_FORK, before);
}
