//! [`inspect`]: asks Docker's engine for a container, over its socket.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

/// An engine that takes longer is done without: a measurement waits for it.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest answer.
const MOST_BYTES: u64 = 1 << 20;

/// What the engine says of a container (`GET /containers/ID/json` of its API); none if it says nothing.
pub(crate) fn inspect(socket: &Path, id: &str) -> Option<Value> {
    // It stands in a path.
    if !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut stream = UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    // HTTP/1.0: the answer is neither in chunks nor followed by another.
    write!(stream, "GET /containers/{id}/json HTTP/1.0\r\nHost: docker\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    stream.take(MOST_BYTES).read_to_end(&mut answer).ok()?;
    read(&answer)
}

/// The document of an answer; none if it is another than 200.
pub(crate) fn read(answer: &[u8]) -> Option<Value> {
    let status = answer.get(..12).filter(|line| line.starts_with(b"HTTP/1."))?;
    let body = answer.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    (&status[9..] == b"200").then(|| serde_json::from_slice(&answer[body..]).ok()).flatten()
}
