//! What nodes say to each other of a question and an answer: what is taken is written and taken again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_http1::Fields;
use unladen_serve::fuzzing::peer_question;

fuzz_target!(|value: &[u8]| {
    let mut fields = Fields::default();
    fields.push(b"X-Unladen-Tier", value);
    let read = peer_question(&fields);
    assert!(read.iter().flatten().count() <= 1, "no question is an answer");
    for (at, written) in read.iter().enumerate() {
        let Some(written) = written else { continue };
        let again = peer_question(written);
        let values = |fields: &Fields| fields.iter().map(|field| field.value.to_vec()).collect::<Vec<_>>();
        assert_eq!(again[at].as_ref().map(values), Some(values(written)));
    }
    // Two of them are none.
    fields.push(b"x-unladen-tier", value);
    assert!(peer_question(&fields).iter().all(Option::is_none));
});
