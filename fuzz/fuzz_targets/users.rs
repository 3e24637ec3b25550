//! Files of names and hashes of passwords: what is taken is bounded and found by its name, what is refused has a line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_serve_config::Users;

fuzz_target!(|bytes: &[u8]| {
    let lines = bytes.split(|byte| *byte == b'\n').count();
    match Users::parse(bytes) {
        Ok(users) => {
            assert!(users.entries.len() <= lines.min(10_000));
            for (name, hash) in &users.entries {
                assert_eq!(users.find(name), Some(&**hash));
                assert!((1..=255).contains(&name.len()) && !name.contains(':'), "{name:?}");
                assert!(hash.len() <= 512 && hash.starts_with('$') && hash.bytes().all(|byte| byte.is_ascii_graphic()));
            }
            // Hashes are no part of what is shown.
            assert!(!format!("{users:?}").contains('$'));
        }
        Err(error) => assert!((1..=lines).contains(&error.line)),
    }
});
