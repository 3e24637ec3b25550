//! Answers of exporters, in both formats: what is refused has a line and can be shown; what is taken is bounded, and is
//! written and read as the same; counters grow by what is finite and not negative.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_exporter::{Exposition, Format, Growth, limits};

fuzz_target!(|bytes: &[u8]| {
    for format in [Format::Text, Format::OpenMetrics] {
        let exposition = match Exposition::parse(bytes, format) {
            Ok(exposition) => exposition,
            Err(error) => {
                let said = error.to_string();
                assert!(error.line > 0 && !said.chars().any(char::is_control), "{said:?}");
                continue;
            }
        };
        assert!(exposition.samples.len() <= limits::SERIES && exposition.families.len() <= limits::FAMILIES);
        let mut growth = Growth::default();
        assert!(growth.advance(&exposition).is_empty(), "nothing has grown at first");
        assert!(growth.advance(&exposition).is_empty(), "the same has not grown");
        for series in growth.series() {
            assert!(!series.name.chars().any(char::is_control), "{:?}", series.name);
            assert!(series.name.chars().count() <= limits::SHOWN + 1);
        }
        // Families are written one after the other, which in the text format they need not stand.
        if exposition.samples.is_sorted_by_key(|sample| sample.family) {
            let written = exposition.write(format);
            let again = Exposition::parse(written.as_bytes(), format).expect("what was written is read");
            assert_eq!(again.samples.len(), exposition.samples.len());
            assert!(growth.advance(&again).is_empty(), "what was written counts as much");
        }
    }
});
