//! What a client sends to PostgreSQL, in sends that are cut at any place and lost in between, and what comes back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_trace::wire::postgres::PostgresClient;

fuzz_target!(|sends: Vec<(&[u8], u16, bool)>| {
    let mut client = PostgresClient::new();
    let given: usize = sends.iter().map(|(payload, _, _)| payload.len()).sum();
    let mut taken = 0;
    for (payload, hole, back) in sends {
        if back {
            client.received(payload);
        } else {
            client.sent(payload, payload.len() + usize::from(hole % 512), |statement| {
                taken += statement.text.len().min(1)
            });
        }
    }
    // No statement is made of nothing.
    assert!(taken <= given, "{taken} of {given}");
});
