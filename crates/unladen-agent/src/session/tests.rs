use super::*;

/// A host whose command is this script; it gets the word `sh` as `$1`.
fn host(script: &str) -> Host {
    Host::new("there", &format!("/bin/sh -c '{script}'")).unwrap()
}

fn error_of(script: &str) -> String {
    let options = SessionOptions { connect_timeout: Duration::from_secs(20), ..SessionOptions::default() };
    Session::start(&host(script), &options).unwrap_err().to_string()
}

#[test]
fn a_command_that_fails_is_told_with_its_last_words() {
    let error = error_of("echo Permission denied >&2; exit 255");
    assert!(error.contains("exit status: 255") && error.contains(": Permission denied."), "{error}");
}

/// A password in the command of a host stood in the message that it does not answer, and so in logs of CI.
#[test]
fn a_password_in_a_command_or_behind_a_login_is_not_told() {
    for ends in ["exit 5", "while :; do echo password=hunter2; done", "echo token: hunter2; echo password=hunter2 >&2"]
    {
        let command = format!("SSHPASS=hunter2 /bin/sh -c '{ends}'");
        let there = Host::new("there", &command).unwrap();
        let error = Session::start(&there, &SessionOptions::default()).unwrap_err().to_string();
        assert!(error.contains("host there: `SSHPASS=… /bin/sh") && !error.contains("hunter2"), "{error}");
    }
}

#[test]
fn a_command_that_says_nothing_is_told_after_its_time() {
    let options = SessionOptions { connect_timeout: Duration::from_millis(50), ..SessionOptions::default() };
    let error = Session::start(&host("exec sleep 60"), &options).unwrap_err();
    assert!(matches!(error, SessionError::NoAnswer { .. }), "{error}");
}

/// Ctrl-C was not seen before the time was up, a minute later.
#[test]
fn a_command_that_says_nothing_is_left_when_that_is_wanted() {
    let error = Session::start_unless(&host("exec sleep 60"), &SessionOptions::default(), &|| true).unwrap_err();
    assert!(matches!(error, SessionError::Cancelled { .. }), "{error}");
}

#[test]
fn a_command_that_writes_on_and_on_is_told() {
    let error = error_of("while :; do echo Welcome; done");
    assert!(error.contains("too much") && error.contains("Welcome"), "{error}");
}

#[test]
fn a_machine_with_an_escape_sequence_in_its_name_tells_the_terminal_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let bin = tempfile::tempdir().unwrap();
    let uname = bin.path().join("uname");
    let text = "#!/bin/sh\n[ $1 = -s ] && exec echo Linux\nprintf 's390\\033[2Jx'\n";
    std::fs::write(&uname, text).unwrap();
    std::fs::set_permissions(&uname, std::fs::Permissions::from_mode(0o755)).unwrap();
    let there = Host::new("there", &format!("env PATH={}:/usr/bin:/bin", bin.path().display())).unwrap();
    let error = Session::start(&there, &copying()).unwrap_err().to_string();
    assert!(error.contains("s390 [2Jx") && !error.contains(char::is_control), "{error:?}");
}

#[test]
fn a_shell_that_asks_for_a_program_again_gets_no_more_time() {
    // It answers in the words of the line that it gets, and asks as often as it likes.
    let script = "read -r l; n=${l#*n=}; n=${n%%;*}; s() { printf \"\\n%s %s\\n\" unladen-agent-$n \"$*\"; }; \
                  for i in 1 2 3; do s need Linux $(uname -m) /tmp; s send; done; exec sleep 60";
    let error = Session::start(&host(script), &copying()).unwrap_err().to_string();
    assert!(error.contains("must not request"), "{error}");
}

/// Copies this program, which is one for this machine.
fn copying() -> SessionOptions {
    SessionOptions {
        agent: Some(std::env::current_exe().unwrap()),
        connect_timeout: Duration::from_secs(60),
        ..SessionOptions::default()
    }
}
