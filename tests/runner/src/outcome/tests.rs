use super::*;

const OUTPUT: &str = "
running 3 tests
SKIPPED: a: it takes root
test a ... ok
test b::c ... FAILED
test d ... FAILED

failures:

---- b::c stdout ----

thread 'b::c' panicked at tests/x.rs:1:1:
nothing comes

---- d stdout ----

thread 'd' panicked at tests/x.rs:2:1:
something comes


failures:
    b::c
    d

test result: FAILED. 1 passed; 2 failed; 4 ignored; 0 measured; 0 filtered out; finished in 40.40s

";

fn outcome(output: &str) -> Outcome {
    Outcome { program: None, time: Duration::ZERO, cpu: Duration::ZERO, is_good: false, output: output.to_owned() }
}

#[test]
fn what_failed_is_told_with_what_it_said() {
    let outcome = outcome(OUTPUT);
    assert_eq!(outcome.failed(), ["b::c", "d"]);
    assert!(outcome.said_by("b::c").unwrap().ends_with("nothing comes"), "{outcome:?}");
    assert!(outcome.said_by("d").unwrap().ends_with("something comes"), "{outcome:?}");
    assert_eq!(outcome.said_by("a"), None);
    assert_eq!(outcome.counts(), Counts { passed: 1, failed: 2, ignored: 4, skipped: 1 });
}

#[test]
fn a_program_that_breaks_off_names_no_test() {
    assert!(outcome("\nrunning 3 tests\ntest a ... ok\n").failed().is_empty());
}

#[test]
fn output_of_both_kinds_is_read_and_an_end_by_a_signal_is_told() {
    let mut command = Command::new("sh");
    command.args(["-c", "echo one; echo two >&2; kill -9 $$"]);
    let outcome = Outcome::of_command(command);
    assert!(!outcome.is_good && outcome.output.starts_with("one\ntwo\n"), "{outcome:?}");
    assert!(outcome.output.contains("broke off: signal: 9"), "{outcome:?}");
}

#[test]
fn the_time_of_what_was_waited_for_counts() {
    let mut command = Command::new("sh");
    command.args(["-c", "sh -c 'n=0; while [ $n -lt 200000 ]; do n=$((n + 1)); done'; true"]);
    let outcome = Outcome::of_command(command);
    assert!(outcome.is_good && outcome.cpu >= Duration::from_millis(10), "{outcome:?}");
}
