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

#[test]
fn a_command_that_says_nothing_is_told_after_its_time() {
    let options = SessionOptions { connect_timeout: Duration::from_millis(50), ..SessionOptions::default() };
    let error = Session::start(&host("exec sleep 60"), &options).unwrap_err();
    assert!(matches!(error, SessionError::NoAnswer { .. }), "{error}");
}

#[test]
fn a_command_that_writes_on_and_on_is_told() {
    let error = error_of("while :; do echo Welcome; done");
    assert!(error.contains("too much") && error.contains("Welcome"), "{error}");
}
