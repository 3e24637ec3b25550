use super::*;

#[test]
fn this_program_runs_on_this_machine() {
    let machine = nix::sys::utsname::uname().unwrap().machine().to_str().unwrap().to_owned();
    let own = std::env::current_exe().unwrap();
    let binary = AgentBinary::find(&machine, Some(&own)).unwrap();
    assert_eq!(binary.sha256.len(), 64);
    assert_eq!(binary.size, own.metadata().unwrap().len());
    let mut bytes = Vec::new();
    binary.into_bytes().unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, std::fs::read(own).unwrap());
}

#[test]
fn another_machine_is_told_with_the_fix() {
    let own = std::env::current_exe().unwrap();
    let error = AgentBinary::find("s390x", Some(&own)).unwrap_err().to_string();
    assert!(error.contains("the host is s390x") && error.contains("make agent"), "{error}");
    let error = AgentBinary::find("s390x", None).unwrap_err().to_string();
    assert!(error.contains("no agent for s390x") && error.contains("unladen-agent-s390x"), "{error}");
    // Nothing outside those folders is opened, whatever a host calls itself.
    let error = AgentBinary::find("../../etc/passwd", None).unwrap_err();
    assert!(matches!(error, BinaryError::None { tried, .. } if tried.len() == 1));
}

#[test]
fn what_is_no_program_is_told() {
    let error = AgentBinary::find("x86_64", Some("/nonexistent/agent".as_ref())).unwrap_err().to_string();
    assert!(error.contains("/nonexistent/agent"), "{error}");
    let error = AgentBinary::find("x86_64", Some("/etc/passwd".as_ref())).unwrap_err().to_string();
    assert!(error.contains("/etc/passwd is no program"), "{error}");
}
