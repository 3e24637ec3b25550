//! Ports for servers that bind them themselves: [`free_address`] and [`free_port`].

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixListener};
use std::sync::{Mutex, PoisonError};

/// Below the ports that the system gives to those who ask for any.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// The ports of this process: nobody else's until it ends. Each is held by a Unix socket without a file, whose name only
/// one process can have; subjects hold theirs so too (`subjects/lib.sh`).
static HELD: Mutex<Vec<UnixListener>> = Mutex::new(Vec::new());

/// An address that nobody listens at, and that no other test is given while this process runs.
pub fn free_address() -> SocketAddr {
    // Processes begin at different ports, so that few attempts are in vain.
    let start = std::process::id() % u32::from(PORTS.end - PORTS.start);
    for offset in (start..).take(usize::from(PORTS.end - PORTS.start)) {
        let offset = u16::try_from(offset % u32::from(PORTS.end - PORTS.start)).expect("less than the ports");
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORTS.start + offset);
        let name = UnixAddr::from_abstract_name(format!("unladen-port-{}", address.port())).expect("a short name");
        let Ok(held) = UnixListener::bind_addr(&name) else { continue };
        if TcpListener::bind(address).is_ok() && UdpSocket::bind(address).is_ok() {
            HELD.lock().unwrap_or_else(PoisonError::into_inner).push(held);
            return address;
        }
    }
    panic!("no port is free");
}

/// The port of such an address.
pub fn free_port() -> u16 {
    free_address().port()
}
