//! `traceparent` of requests: what is taken is written as the same trace, and what is not begins a new one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_observability::trace_context::{LENGTH, incoming, parse, write};

fuzz_target!(|header: &[u8]| {
    let parent = parse(header);
    let trace = incoming(Some(header), 0.0);
    assert_eq!(trace.parent_id, parent.map(|parent| parent.span_id));
    let mut written = Vec::new();
    write(&trace, &mut written);
    assert_eq!(written.len(), LENGTH);
    let ours = parse(&written).expect("what is written is read");
    assert_eq!((ours.trace_id, ours.span_id, ours.sampled), (trace.trace_id, trace.span_id, trace.sampled));
    match parent {
        Some(parent) => {
            assert_eq!((trace.trace_id, trace.sampled), (parent.trace_id, parent.sampled));
            // The same digits stand in the client's.
            assert_eq!(written.get(3..35), header.get(3..35));
        }
        None => assert!(!trace.sampled),
    }
});
