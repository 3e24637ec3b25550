//! What systemd is told of this process (sd_notify(3)), if it wants to be.

use std::env;
use std::ffi::OsStr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use nix::time::{ClockId, clock_gettime};

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// It serves.
    Ready,
    /// It reads its configuration, or hands over.
    Reloading,
    /// It drains.
    Stopping,
    /// Another process is the service from now on.
    MainProcess(u32),
}

/// Tells it, if there is anybody to be told. A notice that is lost is no reason not to serve.
pub(super) fn tell(notice: Notice) {
    if let Some(socket) = env::var_os("NOTIFY_SOCKET") {
        let _ = send(&socket, &text(notice));
    }
}

fn text(notice: Notice) -> String {
    match notice {
        Notice::Ready => "READY=1".into(),
        // By the time, systemd tells the READY=1 that belongs to it from an older one.
        Notice::Reloading => {
            let now = clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |now| {
                u64::try_from(now.tv_sec()).unwrap_or(0) * 1_000_000 + u64::try_from(now.tv_nsec()).unwrap_or(0) / 1000
            });
            format!("RELOADING=1\nMONOTONIC_USEC={now}")
        }
        Notice::Stopping => "STOPPING=1".into(),
        Notice::MainProcess(process) => format!("MAINPID={process}"),
    }
}

/// The address is a path, or begins with `@`: then it is abstract.
fn send(address: &OsStr, text: &str) -> std::io::Result<()> {
    let address = match address.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        path => SocketAddr::from_pathname(OsStr::from_bytes(path))?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    socket.send_to_addr(text.as_bytes(), &address).map(drop)
}

#[cfg(test)]
mod tests;
