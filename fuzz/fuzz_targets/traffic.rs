//! Traffic of access logs in any format: every line is an entry or was passed over for a reason, every entry is of one
//! kind and of one client; URLs of samples can be sent; the kinds are written as a list that can be read.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unladen_traffic::{KindList, Options, Traffic, looks_like_a_change};

fuzz_target!(|log: &[u8]| {
    let file = Path::new("access.log");
    match Traffic::parse(log, file, &Options::default()) {
        Ok(traffic) => {
            let passed_over: u64 = traffic.passed_over.iter().map(|(_, count)| count).sum();
            assert_eq!(traffic.lines, log.split_inclusive(|byte| *byte == b'\n').count() as u64);
            assert_eq!(traffic.lines, traffic.entries + passed_over);
            assert_eq!(traffic.entries, traffic.kinds.iter().map(|kind| kind.requests).sum::<u64>());
            assert_eq!(traffic.entries, traffic.clients.iter().map(|client| client.requests).sum::<u64>());
            for kind in &traffic.kinds {
                assert_eq!(kind.requests, kind.clients.iter().sum::<u64>());
                assert_eq!(kind.sampled, kind.tail_requests + kind.head.iter().map(|head| head.requests).sum::<u64>());
                assert!(!kind.name.chars().any(char::is_control), "{:?}", kind.name);
                for url in kind.examples() {
                    assert!(url.starts_with('/') && url.bytes().all(|byte| byte.is_ascii_graphic()), "{url:?}");
                    assert_eq!(looks_like_a_change(url), None);
                }
            }
            let text = traffic.kinds_text();
            KindList::parse(&text, file).expect("kinds are patterns");
        }
        Err(error) => assert!(error.to_string().contains("access.log"), "{error}"),
    }
});
