//! Frames between an agent and whoever asks it, in both directions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_agent::{Answer, Ask, FrameReader, FrameWriter, Hello, decode, encode, fuzzing};

fuzz_target!(|bytes: &[u8]| {
    let mut frames = FrameReader::new(bytes);
    let mut again = Vec::new();
    while let Ok(body) = frames.read() {
        FrameWriter::new(&mut again).write(&body).expect("it was one");
        if let Some(hello) = Hello::decode(&body) {
            assert_eq!(Hello::decode(&hello.encode()), Some(hello));
        }
        if let Ok(ask) = decode::<Ask>(&body) {
            let said = encode(&ask).expect("no longer than it was");
            assert_eq!(encode(&decode::<Ask>(&said).expect("a message")).expect("the same"), said);
        }
        if let Ok(answer) = decode::<Answer>(&body) {
            let said = encode(&answer).expect("no longer than it was");
            assert_eq!(encode(&decode::<Answer>(&said).expect("a message")).expect("the same"), said);
        }
    }
    assert!(bytes.starts_with(&again));
    fuzzing::answers(bytes);
});
