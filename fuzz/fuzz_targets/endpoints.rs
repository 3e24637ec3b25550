//! What tells the endpoints of an upstream: a file, and messages of a control plane. What is taken can be used; what is
//! refused can be told on a line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_pool::Address;
use unladen_pool::fuzzing::{listed, told};

fuzz_target!(|bytes: &[u8]| {
    let check = |addresses: &[Address]| {
        for address in addresses {
            match address {
                Address::Tcp(addresses) => assert!(
                    matches!(&**addresses, [one] if one.port() > 0 && !one.ip().is_unspecified()),
                    "{addresses:?}"
                ),
                Address::Unix(path) => assert!(path.is_absolute() && path.as_os_str().len() < 108, "{path:?}"),
            }
            assert!(!address.to_string().chars().any(char::is_control), "{address}");
        }
        let mut unlike = std::collections::HashSet::new();
        assert!(addresses.iter().all(|address| unlike.insert(address)), "each once");
    };
    let refused = |why: &str| assert!(!why.is_empty() && !why.chars().any(char::is_control), "{why:?}");
    match listed(bytes) {
        Ok(addresses) => check(&addresses),
        Err(why) => refused(&why),
    }
    match told(bytes) {
        Ok(addresses) => check(&addresses.unwrap_or_default()),
        Err(why) => refused(&why),
    }
});
