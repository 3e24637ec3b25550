//! Netlink datagrams with taskstats records.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|datagram: &[u8]| {
    let records = unladen_probe::fuzzing::exit_records(datagram);
    assert!(records <= datagram.len() / 4, "a record takes an attribute");
});
