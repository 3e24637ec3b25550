//! What Docker's engine says of a container, its labels by whoever started it: names are words that can be shown, and
//! copied into a shell.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let head = b"HTTP/1.0 200 OK\r\n\r\n";
    for answer in [bytes.to_vec(), [head, bytes].concat()] {
        let Some(name) = unladen_probe::fuzzing::docker(&answer) else { continue };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" ._-/".contains(&byte);
        assert!(name.starts_with("the ") && name.bytes().all(is_plain), "{name:?}");
    }
});
