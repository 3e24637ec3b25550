use super::*;
use proptest::prelude::*;

pub(crate) fn any_record() -> impl Strategy<Value = RequestRecord> {
    let times = (any::<Option<u64>>(), any::<Option<u64>>(), any::<Option<u64>>(), any::<u64>());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let error = prop::option::of(prop::sample::select(ErrorKind::ALL.to_vec()));
    (any::<u32>(), any::<u64>(), times, any::<Option<u16>>(), any::<u64>(), flags, error).prop_map(
        |(request, planned_ns, (lag_ns, sent_ns, first_byte_ns, latency_ns), status, body_bytes, flags, error)| {
            let (reused, retried, changed) = flags;
            RequestRecord {
                request,
                planned_ns,
                lag_ns,
                sent_ns,
                first_byte_ns,
                latency_ns,
                status,
                body_bytes,
                reused,
                retried,
                changed,
                error,
            }
        },
    )
}

#[test]
fn a_usual_record_is_small() {
    let record = RequestRecord {
        request: 3,
        planned_ns: 25_000_000,
        lag_ns: Some(1_900),
        sent_ns: Some(2_100),
        first_byte_ns: Some(22_000_000),
        latency_ns: 22_700_000,
        status: Some(200),
        body_bytes: 24_000,
        reused: true,
        retried: false,
        changed: false,
        error: None,
    };
    let mut bytes = Vec::new();
    record.write(0, &mut bytes);
    assert!(bytes.len() <= 24, "{}", bytes.len());
}

proptest! {
    #[test]
    fn what_is_written_is_read(record in any_record(), before in any::<u64>()) {
        let mut bytes = Vec::new();
        record.write(before, &mut bytes);
        prop_assert_eq!(RequestRecord::read(before, &mut &bytes[..]), Some(record));
        bytes.pop();
        prop_assert_eq!(RequestRecord::read(before, &mut &bytes[..]), None);
    }
}
