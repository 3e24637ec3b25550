//! Files of evidence, and the rules on whatever they hold: no number, name or path makes a rule panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_finding::{look, unlooked};
use unladen_trace::Recording;

fuzz_target!(|text: &[u8]| {
    let Ok(record) = Recording::parse(text) else { return };
    for evidence in record.pages.iter().flat_map(|page| [Some(&page.warm), page.fresh.as_ref()]).flatten() {
        let findings = look(evidence);
        assert!(findings.windows(2).all(|pair| pair[0].takes.rank() >= pair[1].takes.rank()));
        for missing in unlooked(evidence) {
            assert!(findings.iter().all(|finding| finding.rule != missing.rule.name()));
        }
        let _ = evidence.totals();
    }
});
