//! What a client of TLS sends, and all else that is recognised by its beginning: names are bounded and can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_trace::Peer;
use unladen_trace::wire::{fastcgi, http, memcached, recognise, redis, syslog, tls};

fuzz_target!(|first: &[u8]| {
    let shown = |text: &str, most: usize| {
        assert!(!text.chars().any(char::is_control), "{text:?}");
        // One byte that is no text becomes three, and a cut has its sign.
        assert!(text.len() <= 3 * most + 3, "{text:?}");
    };
    if let Some(hello) = tls::client_hello(first) {
        assert_eq!(tls::record_types(first).next(), Some(22));
        shown(hello.server_name.as_deref().unwrap_or_default(), 255);
    }
    assert!(tls::record_types(first).all(|kind| (20..=23).contains(&kind)));
    let _ = tls::application_data(first);
    if let Some(request) = http::request(first) {
        shown(&request.target, 1024);
        shown(request.host.as_deref().unwrap_or_default(), 255);
    }
    shown(&syslog::message(first), 512);
    shown(&fastcgi::stderr(first).unwrap_or_default(), 512);
    let _ = (redis::command(first), memcached::command(first));
    for peer in [Peer::Unknown, Peer::Unix(b"/run/mysqld/mysqld.sock".to_vec()), Peer::Ip(([127, 0, 0, 1], 53).into())]
    {
        recognise(first, &peer);
    }
});
