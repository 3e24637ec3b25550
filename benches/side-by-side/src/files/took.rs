//! The principal type is [`Took`]: what requests for a file took.

use std::path::Path;
use std::time::Duration;

use super::size::Size;
use crate::Result;
use crate::rig::callers::{Callers, Calls, SETTLE};
use crate::rig::listen::Listen;
use crate::rig::load::Load;
use crate::rig::running::Running;

/// For handshakes, and for the file to be in memory.
const WARM_UP_TLS: Duration = Duration::from_millis(500);
const TIME_TLS: Duration = Duration::from_secs(2);

/// What requests took.
pub(super) struct Took {
    /// The server's.
    pub(super) cpu: Duration,
    pub(super) requests: f64,
    pub(super) seconds: f64,
}

/// By callers that cost as little as they can.
pub(super) fn in_clear(running: &Running, listen: &Listen, size: &Size) -> Result<Took> {
    let calls =
        Calls { path: size.path, length: size.bytes, connections: size.connections, keep: true, ..Calls::default() };
    let mut callers = Callers::start(listen, &calls)?;
    callers.call(size.warm_up, size.connections)?;
    std::thread::sleep(SETTLE);
    let processes = running.processes();
    let before = processes.cpu()?;
    let called = callers.call(size.amount, size.connections)?;
    std::thread::sleep(SETTLE);
    let cpu = processes.cpu()?.saturating_sub(before);
    Ok(Took { cpu, requests: called.requests as f64, seconds: called.wall.as_secs_f64() })
}

/// By unladen-load, which speaks TLS. Its handshakes are in what it took: one of each connection.
pub(super) fn over_tls(running: &Running, port: u16, size: &Size, ca: &Path) -> Result<Took> {
    let url = format!("https://localhost:{port}{}", size.path);
    let load = Load { url: &url, ca: Some(ca), rate: None, connections: size.connections, length: Some(size.bytes) };
    load.run(WARM_UP_TLS, WARM_UP_TLS)?;
    std::thread::sleep(SETTLE);
    let processes = running.processes();
    let before = processes.cpu()?;
    let loaded = load.run(Duration::ZERO, TIME_TLS)?;
    std::thread::sleep(SETTLE);
    let cpu = processes.cpu()?.saturating_sub(before);
    Ok(Took { cpu, requests: loaded.requests, seconds: loaded.seconds })
}
