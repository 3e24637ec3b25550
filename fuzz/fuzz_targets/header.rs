//! A header line: what is taken can neither break the request apart nor take part in its framing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_load::Header;

fuzz_target!(|line: &str| {
    match line.parse::<Header>() {
        Ok(header) => {
            let value = header.value().as_bytes();
            assert!(!value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)), "{line:?}");
            assert!(!matches!(header.name().as_str(), "content-length" | "transfer-encoding" | "connection"), "{line:?}");
            let again = [header.name().as_str().as_bytes(), b": ", value].concat();
            let again = String::from_utf8(again).expect("a part of a text, cut at ASCII");
            assert_eq!(again.parse::<Header>().expect("what was taken is taken again"), header);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
