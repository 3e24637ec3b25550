//! [`inspect`]: asks Docker's engine about a container over its socket.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

/// Slower engines are done without, since a measurement waits.
const PATIENCE: Duration = Duration::from_millis(500);
const MOST_BYTES: u64 = 1 << 20;

/// The engine's answer to `GET /containers/ID/json`; `None` if there is none.
pub(crate) fn inspect(socket: &Path, id: &str) -> Option<Value> {
    // The id becomes part of a path.
    if !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut stream = UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    // HTTP/1.0: the answer is not chunked, and nothing follows it.
    write!(stream, "GET /containers/{id}/json HTTP/1.0\r\nHost: docker\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    stream.take(MOST_BYTES).read_to_end(&mut answer).ok()?;
    read(&answer)
}

/// The JSON of an answer; `None` unless its status is 200.
pub(crate) fn read(answer: &[u8]) -> Option<Value> {
    let status = answer.get(..12).filter(|line| line.starts_with(b"HTTP/1."))?;
    let body = answer.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    (&status[9..] == b"200").then(|| serde_json::from_slice(&answer[body..]).ok()).flatten()
}
