use unladen_fastcgi::{Decoder, STDERR, write_record};

use super::*;

fn notes(words: &[u8]) -> FastCgiNotes {
    let notes = FastCgiNotes::default();
    let mut bytes = Vec::new();
    write_record(&mut bytes, STDERR, 1, words);
    Decoder::new(1).unwrap(&mut bytes, 0, &mut notes.stderr.borrow_mut()).unwrap();
    notes
}

#[test]
fn what_is_known_of_a_failure_is_told_with_what_to_do() {
    let quiet = FastCgiNotes::default();
    assert_eq!(quiet.on_stderr(), None);
    assert_eq!(quiet.cause(Some("no answer".into()), Reason::UpstreamTimeout), "no answer");
    assert!(quiet.cause(None, Reason::UpstreamClosed).contains("`request_terminate_timeout`"));
    let fatal = notes(b"PHP message: PHP Fatal error:  no\n memory");
    let told = fatal.cause(Some("usual".into()), Reason::UpstreamClosed);
    assert!(told.ends_with("; on standard error: PHP message: PHP Fatal error: no memory"), "{told}");
    fatal.fault.set(Some(Fault::AfterEnd));
    assert!(fatal.cause(None, Reason::UpstreamMalformed).starts_with("it sent more output"));
    fatal.refusal.set(Some(Refusal::Overloaded));
    assert!(fatal.cause(None, Reason::BacklogFull).starts_with("it reports that it is overloaded"));
    fatal.clear();
    assert_eq!(fatal.on_stderr(), None);
}

#[test]
fn what_php_fpm_says_of_a_script_comes_with_advice() {
    assert!(notes(b"Primary script unknown").on_stderr().unwrap().contains("the same folder"));
    assert!(notes(b"Access to the script '/x.jpg' has been denied").on_stderr().unwrap().contains("limit_extensions"));
}
