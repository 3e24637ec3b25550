//! Messages to the DNS, over UDP, over TCP and to systemd-resolved: names are bounded and can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_trace::wire::dns::questions;

fuzz_target!(|message: &[u8]| {
    let questions = questions(message);
    assert!(questions.len() <= 16, "{questions:?}");
    for question in questions {
        assert!(question.name.len() <= 4 * 255, "{question:?}");
        assert!(question.name.bytes().all(|byte| (b'!'..=b'~').contains(&byte)), "{question:?}");
        assert!(!question.kind.is_empty());
    }
});
