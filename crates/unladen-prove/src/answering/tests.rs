use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use unladen_load::{Expect, RequestBuilder};

use super::*;

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(100);

/// Asks a server that gives these answers, then the last one for ever; `None` hangs up.
fn asking(answers: &'static [Option<&'static str>], within: Duration) -> Answering {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/page", listener.local_addr().unwrap());
    // It ends with the test's process.
    thread::spawn(move || {
        for answer in answers.iter().chain(std::iter::repeat(answers.last().unwrap())) {
            let (mut stream, _) = listener.accept().unwrap();
            if let Some(status) = answer {
                let _ = stream.read(&mut [0; 4096]);
                let _ = write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
        }
    });
    to(&url, within)
}

fn to(url: &str, within: Duration) -> Answering {
    let request = RequestBuilder::new(http::Method::GET, url.parse().unwrap()).and_then(RequestBuilder::build).unwrap();
    let config = DriverConfig { expect: Expect::default(), ..DriverConfig::new(vec![request.clone()]) };
    Answering::new(("the service `php`".into(), "`kill -USR2 1`".into()), &config, request, within)
}

/// A run ended by a 502 that came after an old worker's last answer.
#[test]
fn a_502_after_an_answer_of_an_old_worker_is_waited_out() {
    const OLD: Option<&str> = Some("200 OK");
    let php = asking(&[OLD, OLD, Some("502 Bad Gateway"), None, Some("503 Wait"), Some("504 Late"), OLD], LONG);
    php.wait(STEADY, Judge::Caller, &Cancel::new()).unwrap();
    // Its answers are the last one's by now.
    php.wait(SURE, Judge::Wait, &Cancel::new()).unwrap();
}

#[test]
fn what_never_answers_again_is_told_with_service_command_request_answer_and_advice() {
    let down = asking(&[Some("502 Bad Gateway")], SHORT).wait(STEADY, Judge::Caller, &Cancel::new()).unwrap_err();
    let told = down.to_string();
    for part in ["the service `php`", "`kill -USR2 1`", "100ms", "/page", "502 Bad Gateway", "`ready`"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", gone.local_addr().unwrap());
    drop(gone);
    let told = to(&url, SHORT).wait(STEADY, Judge::Caller, &Cancel::new()).unwrap_err().to_string();
    assert!(told.contains("refused"), "{told}");
}

/// Waiting mends no 404: the caller tells of it, with the arm's name.
#[test]
fn an_answer_that_time_does_not_mend_is_left_to_the_caller_if_there_is_one() {
    let missing = asking(&[Some("404 Not Found")], SHORT);
    missing.wait(STEADY, Judge::Caller, &Cancel::new()).unwrap();
    let told = missing.wait(STEADY, Judge::Wait, &Cancel::new()).unwrap_err().to_string();
    assert!(told.contains("404 Not Found"), "{told}");
    asking(&[Some("500 Starting"), Some("200 OK")], LONG).wait(STEADY, Judge::Wait, &Cancel::new()).unwrap();
}

#[test]
fn cancelling_ends_the_wait() {
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let thread = thread::spawn(move || {
        thread::sleep(SHORT);
        switch.cancel();
    });
    let down = asking(&[Some("502 Bad Gateway")], LONG);
    assert!(matches!(down.wait(STEADY, Judge::Caller, &cancel), Err(SwitchError::Cancelled)));
    thread.join().unwrap();
}
