//! Lists of kinds with a log that they are to name: what is refused has file and line; what is taken counts all entries.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unladen_traffic::{KindList, Options, Traffic};

fuzz_target!(|input: (&str, Vec<&str>)| {
    let (list, targets) = input;
    let kinds = match KindList::parse(list, Path::new("kinds.txt")) {
        Ok(kinds) => kinds,
        Err(error) => {
            let said = error.to_string();
            assert!(said.starts_with("kinds.txt") && !said.chars().any(char::is_control), "{said:?}");
            return;
        }
    };
    let log: String = targets.iter().map(|target| format!("- - - [t] \"GET /{target} HTTP/1.1\" 200 5\n")).collect();
    let options = Options { kinds, ..Options::default() };
    if let Ok(traffic) = Traffic::parse(log.as_bytes(), Path::new("access.log"), &options) {
        assert_eq!(traffic.entries, traffic.kinds.iter().map(|kind| kind.requests).sum::<u64>());
        assert!(traffic.kinds.iter().all(|kind| !kind.name.chars().any(char::is_control)));
    }
});
