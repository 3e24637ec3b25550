//! A set of statuses: what is taken reads back as the same set, and none is outside 100 to 599.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_load::Statuses;

fuzz_target!(|text: &str| {
    match text.parse::<Statuses>() {
        Ok(statuses) => {
            assert_eq!(statuses.to_string().parse(), Ok(statuses.clone()), "{text:?}");
            assert!(![0, 99, 600, u16::MAX].into_iter().any(|status| statuses.contains(status)), "{text:?}");
        }
        Err(error) => assert!(text.contains(&error.part), "{text:?}"),
    }
});
