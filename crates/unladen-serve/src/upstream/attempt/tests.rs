use super::*;

/// A head waits for its body's first byte only where no client acts on the head alone.
#[test]
fn who_reads_events_has_the_head_at_once() {
    let is_stream = |name: &str, value: &str| {
        let mut response = Response::default();
        response.fields.push(name.as_bytes(), value.as_bytes());
        is_stream(&response)
    };
    assert!(is_stream("Content-Type", "text/event-stream; charset=utf-8"));
    assert!(is_stream("content-type", "Application/gRPC+proto") && is_stream("X-Accel-Buffering", "no"));
    assert!(!is_stream("content-type", "text/html") && !is_stream("x-accel-buffering", "yes"));
    assert!(!is_stream("content-type", "text") && !is_stream("accept", "text/event-stream"));
}
