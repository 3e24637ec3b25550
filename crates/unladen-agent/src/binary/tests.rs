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
    assert!(error.contains("/etc/passwd is not a Linux program"), "{error}");
}

#[test]
fn a_header_tells_the_machine() {
    let header = |class: u8, order: u8, number: [u8; 2]| {
        let mut header = [0; HEADER];
        header[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, order]);
        header[18..20].copy_from_slice(&number);
        header
    };
    let machine = |header| Elf::of_header(&header).map(Elf::machine);
    assert_eq!(machine(header(2, 1, [62, 0])), Some("x86_64"));
    assert_eq!(machine(header(2, 1, [183, 0])), Some("aarch64"));
    assert_eq!(machine(header(2, 2, [0, 22])), Some("s390x"));
    assert_eq!(machine(header(2, 1, [0xff, 0xff])), None);
    assert_eq!(machine([0; HEADER]), None);
}

/// Debian's shell is linked to the C library.
#[test]
fn libraries_are_seen() {
    let shell = Elf::read(&mut File::open("/bin/sh").unwrap()).unwrap().unwrap();
    assert!(shell.is_dynamic);
}
