//! Country databases that anybody may have written: they are refused, or give two capital letters for each address.
#![no_main]

use std::net::IpAddr;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u128, bool, &[u8])| {
    let (bits, is_v6, database) = input;
    let address = if is_v6 { IpAddr::V6(bits.into()) } else { IpAddr::V4((bits as u32).into()) };
    if let Some(country) = unladen_serve::fuzzing::country(database.to_vec(), address) {
        assert!(country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase()));
    }
});
