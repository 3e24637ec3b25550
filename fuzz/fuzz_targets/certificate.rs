//! Certificates with their keys as they are kept, or as an authority has sent them: what is taken names hosts, and what
//! is refused says why.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_acme::Issued;

fuzz_target!(|pem: &[u8]| {
    match Issued::parse(pem) {
        Ok(issued) => assert!(issued.names().iter().all(|name| !name.chars().any(char::is_control))),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
