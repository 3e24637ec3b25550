//! Datagrams of HTCP: whatever they hold, what is taken is a URL that is within it, of visible ASCII and with a host.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_fleet::{HtcpClear, LONGEST_HTCP_URL};

fuzz_target!(|datagram: &[u8]| {
    let Ok(clear) = HtcpClear::read(datagram) else { return };
    assert!(clear.url.len() <= LONGEST_HTCP_URL && clear.url.bytes().all(|byte| byte.is_ascii_graphic()));
    assert!(datagram.windows(clear.url.len()).any(|window| window == clear.url.as_bytes()));
    let (_, rest) = clear.url.split_once("://").expect("it is absolute");
    assert!(!rest.is_empty() && !rest.starts_with(['/', '?', '#']), "{}", clear.url);
    // Its lengths are all of it: a datagram that goes on is another.
    let longer = [datagram, &[0]].concat();
    assert!(HtcpClear::read(&longer).is_err());
});
