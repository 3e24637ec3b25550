use super::*;

/// Rules took them for what every request does: `recompile` was found where the opcode cache was on.
#[test]
fn first_requests_of_a_host_were_judged_as_later_ones() {
    let source = EvidenceSource::Syscalls;
    let warm = Evidence { sources: vec![source], ..Evidence::default() };
    let missing = vec![Missing { source, why: String::new(), takes: String::new() }];
    let mut fresh = Evidence { missing, ..Evidence::default() };
    make_fresh(&mut fresh, &warm);
    assert_eq!(fresh, Evidence { state: State::Fresh, sources: vec![source], ..Evidence::default() });
}

#[test]
fn a_lack_of_rights_is_told_with_the_command_that_mends_it() {
    let told = |command: &str| as_root(&Host::new("db", command).unwrap());
    assert_eq!(told("ssh -p 22 db1"), "a command that runs as root there: --host db='ssh … sudo'");
    assert!(told("/usr/bin/docker exec -i web").contains("-u 0 --privileged"));
    assert!(!told("sshpass -p hunter2 ssh db1").contains("hunter2"));
}
