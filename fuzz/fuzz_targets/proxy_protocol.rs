//! How a proxy begins a connection: no byte is taken of what follows, and no more than its own length.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokio::runtime::Runtime;
use unladen_serve::fuzzing::{MOST, proxied};

thread_local! {
    static RUNTIME: Runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
}

fuzz_target!(|bytes: &[u8]| {
    let bytes = &bytes[..bytes.len().min(MOST)];
    let told = RUNTIME.with(|runtime| runtime.block_on(proxied(bytes)).expect("sockets"));
    let Some((address, left)) = told else { return };
    let taken = &bytes[..bytes.len() - left];
    assert!((12..=536).contains(&taken.len()));
    // What follows changes nothing.
    let alone = RUNTIME.with(|runtime| runtime.block_on(proxied(taken)).expect("sockets"));
    assert_eq!(alone, Some((address, 0)));
    assert_eq!(
        taken.starts_with(b"PROXY "),
        taken.ends_with(b"\r\n") && taken.len() <= 107 && !taken.starts_with(b"\r")
    );
});
