//! Notifications to systemd (sd_notify(3)), if it wants them.

use std::env;
use std::ffi::OsStr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use nix::time::{ClockId, clock_gettime};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    Ready,
    /// It reloads or hands over.
    Reloading,
    Stopping,
    /// This process is the service from now on.
    MainProcess(u32),
}

/// Sends a notice, if anybody listens. A lost one is no reason not to serve.
pub(super) fn notify(notice: Notice) {
    if let Some(socket) = env::var_os("NOTIFY_SOCKET") {
        let _ = send(&socket, &text(notice));
    }
}

fn text(notice: Notice) -> String {
    match notice {
        Notice::Ready => "READY=1".into(),
        // systemd matches the READY=1 that follows by this time.
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

/// The address is a path, or abstract if it begins with `@`.
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
