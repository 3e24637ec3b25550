//! Whether an application finds its users again.

use std::sync::atomic::AtomicUsize;

use super::server::{hang, read_request, send};
use super::*;

/// Makes a session for each stranger, and greets all others by theirs: strangers see another page.
fn application() -> (Server, Arc<AtomicUsize>) {
    let sessions = Arc::new(AtomicUsize::new(0));
    let made = Arc::clone(&sessions);
    let server = Server::new(move |_, mut stream| {
        while let Some(request) = read_request(&mut stream) {
            if request.to_ascii_lowercase().contains("cookie: sid=") {
                send(&mut stream, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nagain");
            } else {
                let sid = made.fetch_add(1, Ordering::Relaxed);
                let answer =
                    format!("HTTP/1.1 200 OK\r\nset-cookie: sid={sid}; Path=/\r\ncontent-length: 6\r\n\r\nhello!");
                send(&mut stream, &answer);
            }
        }
        hang(&mut stream);
    });
    (server, sessions)
}

#[test]
fn a_user_has_one_session_however_many_requests() {
    let (server, sessions) = application();
    let mut driver = driver(&server);
    sample(&mut driver).unwrap();
    let tally = run(&mut driver, 30).unwrap();
    assert_eq!((sessions.load(Ordering::Relaxed), driver.strangers()), (1, 1));
    assert_eq!(tally.changed, 0, "the page of who is known is held against that alone");
}

#[test]
fn as_many_users_as_requests_under_way() {
    let (server, sessions) = application();
    let mut driver = start(DriverConfig { concurrency: 3, ..config(get(&server)) });
    run(&mut driver, 60).unwrap();
    let sessions = sessions.load(Ordering::Relaxed);
    assert!((1..=3).contains(&sessions), "{sessions}");
    assert_eq!(driver.strangers(), sessions as u64);
}

#[test]
fn every_request_is_a_strangers_if_it_is_to_be() {
    let (server, sessions) = application();
    let mut driver = start(DriverConfig { keep_cookies: false, ..config(get(&server)) });
    run(&mut driver, 20).unwrap();
    assert_eq!((sessions.load(Ordering::Relaxed), driver.strangers()), (20, 20));
}
