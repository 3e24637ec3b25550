//! How a connection is opened: [`dial`].

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use socket2::{Domain, SockAddr, SockRef, TcpKeepalive, Type};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::endpoint::Address;
use crate::socket::Socket;
use crate::unix_stream::UnixStream;

/// Head start of an address before the next is tried too: the Connection Attempt Delay of RFC 8305, section 5.
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);
/// Idle time before the first probe, so that a silently vanished peer is noticed …
const KEEP_ALIVE_AFTER: Duration = Duration::from_secs(30);
/// … by no answer to three probes, this far apart.
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(10);
const KEEP_ALIVE_PROBES: u32 = 3;

/// Pause before retrying a Unix socket whose queue is full: at first, roughly …
const QUEUE_WAIT: Duration = Duration::from_millis(1);
/// … and at most.
const LONGEST_QUEUE_WAIT: Duration = Duration::from_millis(50);

/// Connects within `timeout`. Of several addresses the first that answers wins (happy eyeballs, RFC 8305, section 5),
/// and the other attempts are dropped. TCP connections use `TCP_NODELAY` and `SO_KEEPALIVE`.
///
/// # Errors
/// The system error of the last attempt that got furthest; `TimedOut` with the address after `timeout`.
pub async fn dial(address: &Address, timeout: Duration) -> io::Result<Socket> {
    let dialled = async {
        match address {
            Address::Tcp(addresses) => race(addresses).await.map(Socket::Tcp),
            Address::Unix(path) => {
                unix(path, timeout).await.map(Socket::Unix).map_err(|error| at(&path.display(), &error))
            }
        }
    };
    match tokio::time::timeout(timeout, dialled).await {
        Ok(dialled) => dialled,
        Err(_) => {
            Err(io::Error::new(io::ErrorKind::TimedOut, format!("no connection to {address} within {timeout:?}")))
        }
    }
}

/// If the queue of a Unix socket is full, the system refuses at once (EAGAIN), where TCP would retry by itself: so does
/// this.
async fn unix(path: &Path, timeout: Duration) -> io::Result<UnixStream> {
    // Leaves time to report the system's error rather than the timeout.
    let last = Instant::now() + timeout.mul_f64(0.9);
    let mut wait = QUEUE_WAIT;
    loop {
        match connect_unix(path) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && Instant::now() + wait < last => {
                tokio::time::sleep(wait.mul_f64(0.5 + fastrand::f64())).await;
                wait = (wait * 2).min(LONGEST_QUEUE_WAIT);
            }
            done => return done,
        }
    }
}

/// A Unix socket connects at once or fails: there is nothing to wait for, nor to check afterwards.
fn connect_unix(path: &Path) -> io::Result<UnixStream> {
    let kind = Type::STREAM.nonblocking().cloexec();
    let socket = socket2::Socket::new(Domain::UNIX, kind, None)?;
    socket.connect(&SockAddr::unix(path)?)?;
    UnixStream::from_std(socket.into())
}

async fn race(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    if let [only] = addresses {
        return connect(*only).await;
    }
    // Dropped with this function, and its tasks with it.
    let mut attempts = JoinSet::new();
    let mut left = addresses.iter().copied();
    let mut failed: Option<io::Error> = None;
    loop {
        if let Some(address) = left.next() {
            attempts.spawn(connect(address));
        }
        let ended = match left.len() {
            0 => attempts.join_next().await,
            _ => match tokio::time::timeout(ATTEMPT_DELAY, attempts.join_next()).await {
                Ok(ended) => ended,
                Err(_) => continue,
            },
        };
        let error = match ended {
            Some(Ok(Ok(stream))) => return Ok(stream),
            Some(Ok(Err(error))) => error,
            Some(Err(lost)) => io::Error::other(lost),
            None => return Err(failed.unwrap_or_else(no_address)),
        };
        failed = Some(match failed {
            // A missing route says less than an actual answer.
            Some(before) if is_no_way(&error) && !is_no_way(&before) => before,
            _ => error,
        });
    }
}

async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await.map_err(|error| at(&address, &error))?;
    stream.set_nodelay(true)?;
    let probes =
        TcpKeepalive::new().with_time(KEEP_ALIVE_AFTER).with_interval(KEEP_ALIVE_EVERY).with_retries(KEEP_ALIVE_PROBES);
    SockRef::from(&stream).set_tcp_keepalive(&probes)?;
    Ok(stream)
}

fn at(whom: &(impl std::fmt::Display + ?Sized), error: &io::Error) -> io::Error {
    let failed = Failed { text: format!("{whom}: {error}"), system: error.raw_os_error() };
    io::Error::new(error.kind(), failed)
}

#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Failed {
    text: String,
    system: Option<i32>,
}

/// Whether a connection failed for lack of a file descriptor, of this process or of the machine.
pub fn is_out_of_files(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Failed>());
    let number = error.raw_os_error().or_else(|| inner.and_then(|failed| failed.system));
    // EMFILE and ENFILE: alike on all of Linux's architectures.
    matches!(number, Some(23 | 24))
}

fn no_address() -> io::Error {
    io::Error::new(io::ErrorKind::AddrNotAvailable, "the endpoint has no address")
}

/// Whether there was no route, as on a machine without IPv6.
fn is_no_way(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable | io::ErrorKind::AddrNotAvailable
    )
}

#[cfg(test)]
mod tests;
