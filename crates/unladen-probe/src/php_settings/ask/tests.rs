use super::*;

fn sh(script: &str) -> Result<Output, AskError> {
    let environment = [("GIVEN".to_owned(), OsString::from("yes"))];
    ask(Path::new("/bin/sh"), ["-c", script].into_iter(), &environment, None)
}

#[test]
fn both_outputs_come_back_and_nothing_else_goes_in() {
    let output = sh("echo $GIVEN; echo ${HOME:-none} >&2; cat").unwrap();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("yes\n", "none\n"));
}

#[test]
fn what_is_too_much_is_cut_and_what_takes_too_long_is_ended() {
    assert_eq!(sh("head -c 3000000 /dev/zero").unwrap().stdout.len() as u64, MAX_OUTPUT);
    assert!(matches!(sh("exec sleep 60"), Err(AskError::Time)));
    assert!(matches!(ask(Path::new("/nonexistent"), [].into_iter(), &[], None), Err(AskError::Start(_))));
}
