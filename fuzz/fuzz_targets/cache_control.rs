//! What a response and a request say to a cache: one field of bytes for each line, the first byte of which tells the
//! name.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_cache::{
    Asking, Freshness, Policy, RequestControl, ResponseControl, Reuse, Time, group_invalidations, kept, may_serve_on_error,
    reuse, storable, targets, update,
};
use unladen_http1::{Fields, Request, Response};

const NAMES: [&[u8]; 12] = [
    b"Cache-Control",
    b"CDN-Cache-Control",
    b"Age",
    b"Expires",
    b"Date",
    b"Last-Modified",
    b"Pragma",
    b"Vary",
    b"Connection",
    b"Location",
    b"Cache-Group-Invalidation",
    b"ETag",
];
const NOW: Time = Time(1_700_000_000_000);

fuzz_target!(|bytes: &[u8]| {
    let mut fields = Fields::default();
    for line in bytes.split(|byte| *byte == b'\n').take(128) {
        if let [name, value @ ..] = line {
            fields.push(NAMES[usize::from(*name) % NAMES.len()], value);
        }
    }
    let policy = Policy::default();
    let request =
        Request { method: b"GET".to_vec(), target: b"/a/b".to_vec(), fields: fields.clone(), ..Request::default() };
    let response = Response { status: 200, fields, ..Response::default() };
    let fields = &response.fields;

    let freshness = Freshness::of(200, fields, NOW, NOW, &policy);
    if let Ok(stored) = storable(&Asking::of(&request, &policy, false), &response, &policy, NOW, NOW) {
        assert_eq!(stored, freshness);
        let control = ResponseControl::of(fields);
        assert!(!control.private && (!control.no_store || control.must_understand));
    }
    let control = RequestControl::of(fields);
    let mut was_fresh = true;
    for seconds in [0, 1, 60, 1_000_000, i64::MAX / 2000] {
        let now = Time(NOW.0 + seconds * 1000);
        assert!(was_fresh || !freshness.is_fresh(now), "what is stale stays stale");
        was_fresh = freshness.is_fresh(now);
        let without_asking = !matches!(reuse(&control, &freshness, now), Reuse::Validate(_));
        assert!(!without_asking || may_serve_on_error(&control, &freshness, now));
        assert!(!without_asking || was_fresh || !freshness.must_revalidate);
        assert!(!without_asking || !freshness.no_cache);
    }

    for target in targets(&request, &response, false) {
        assert!(target.starts_with(b"/") && !target.contains(&b'#'));
    }
    assert!(group_invalidations(fields).iter().all(|group| group.is_ascii()));
    let left = kept(&update(fields, fields));
    assert!(left.len() <= fields.len() && left.find(b"age").is_none() && left.find(b"connection").is_none());
});
