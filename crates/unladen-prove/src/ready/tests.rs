use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::thread;

use super::*;

fn wait(check: Check, within: Duration, cancel: &Cancel) -> Result<(), SwitchError> {
    Ready { check, within }.wait("app", &Shell::new("/tmp"), cancel)
}

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(100);

#[test]
fn a_url_is_asked_until_it_answers_as_it_should() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url: Url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let server = thread::spawn(move || {
        // Hung up on, then not ready, then ready.
        drop(listener.accept().unwrap());
        for status in ["503 Starting", "200 OK"] {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
        }
    });
    let check = Check::Url { url: url.clone(), statuses: Statuses::default(), tls: Box::default() };
    wait(check.clone(), LONG, &Cancel::new()).unwrap();
    server.join().unwrap();
    let error = wait(check, SHORT, &Cancel::new()).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("app is not ready: {url} answering 200-299 was not met within 100ms")),
        "{error}"
    );
    assert!(error.contains("refused"), "it says what the last look found: {error}");
}

#[test]
fn places_to_connect_to() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let tcp = Check::Tcp(listener.local_addr().unwrap());
    let path = folder.path().join("app.sock");
    let unix = Check::Unix(path.clone());
    assert!(wait(unix.clone(), SHORT, &Cancel::new()).is_err());
    let later = thread::spawn(move || {
        thread::sleep(SHORT);
        UnixListener::bind(path).unwrap()
    });
    wait(unix, LONG, &Cancel::new()).unwrap();
    drop(later.join().unwrap());
    wait(tcp.clone(), LONG, &Cancel::new()).unwrap();
    drop(listener);
    assert!(wait(tcp, SHORT, &Cancel::new()).is_err());
}

#[test]
fn cancelling_ends_the_wait() {
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let thread = thread::spawn(move || {
        thread::sleep(SHORT);
        switch.cancel();
    });
    assert!(matches!(wait(Check::Command("false".into()), LONG, &cancel), Err(SwitchError::Cancelled)));
    thread.join().unwrap();
}
