//! The principal type is [`Readiness`]: hears from `unladen serve` that it serves.

use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::wait;

/// Between two looks whether the process still runs.
const PAUSE: Duration = Duration::from_millis(100);

/// Where `unladen serve` reports that it serves, as to systemd (sd_notify(3)).
///
/// One of its sockets accepts connections a moment before the next one does: that somebody listens at one of them says
/// nothing about the others. It reports `READY=1` when all of them accept.
#[derive(Debug)]
pub struct Readiness {
    socket: UnixDatagram,
    path: PathBuf,
}

impl Readiness {
    /// The environment variable that names the socket to `unladen serve`.
    pub const VARIABLE: &str = "NOTIFY_SOCKET";

    /// A socket in this folder; one of an earlier start is replaced.
    pub fn new(folder: &Path) -> Self {
        let path = folder.join("readiness.sock");
        let _ = std::fs::remove_file(&path);
        let socket = UnixDatagram::bind(&path).expect("a socket can be made");
        socket.set_read_timeout(Some(PAUSE)).expect("a timeout can be set");
        Self { socket, path }
    }

    /// Where the socket is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until it serves.
    ///
    /// # Panics
    /// If it does not come to that; `why_not` is asked again and again, and says so before the time is over.
    #[track_caller]
    pub fn wait(&self, why_not: impl Fn() -> Option<String>) {
        let mut notice = [0; 256];
        wait::until_ok("it serves", || {
            if let Some(why) = why_not() {
                panic!("it does not serve: {why}");
            }
            let length = self.socket.recv(&mut notice).map_err(|error| error.to_string())?;
            if notice[..length].starts_with(b"READY=1") { Ok(()) } else { Err("another notice".to_owned()) }
        });
    }
}
