//! [`poll_send_file`]: a part of a file goes into a socket within the system, without a copy here.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::task::{Context, Poll, ready};

use rustix::net::SendFlags;
use tokio::io::Interest;
use unladen_pool::{Half, Socket};

/// Sends bytes that lie in memory, of which more follows at once, so that both share packets: how many were taken.
pub(super) fn poll_send_more(half: Half<'_>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
    poll_socket(half, cx, |socket| Ok(rustix::net::send(socket, bytes, SendFlags::MORE | SendFlags::NOSIGNAL)?))
}

/// Sends up to so many bytes of a file from a place on: how many were taken; 0: the file ends there.
pub(super) fn poll_send_file(
    half: Half<'_>,
    cx: &mut Context<'_>,
    file: BorrowedFd<'_>,
    at: u64,
    most: usize,
) -> Poll<io::Result<usize>> {
    poll_socket(half, cx, |socket| {
        let mut at = at;
        Ok(rustix::fs::sendfile(socket, file, Some(&mut at), most)?)
    })
}

/// Does something with the socket as soon as it takes bytes, and again if it did not after all.
fn poll_socket(
    half: Half<'_>,
    cx: &mut Context<'_>,
    mut work: impl FnMut(BorrowedFd<'_>) -> io::Result<usize>,
) -> Poll<io::Result<usize>> {
    let mut transport = half.0.borrow_mut();
    loop {
        let done = match transport.socket() {
            Socket::Tcp(stream) => {
                ready!(stream.poll_write_ready(cx))?;
                stream.try_io(Interest::WRITABLE, || work(stream.as_fd()))
            }
            Socket::Unix(stream) => return stream.poll_write_with(cx, |stream| work(stream.as_fd())),
            _ => return Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        };
        match done {
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => (),
            done => return Poll::Ready(done),
        }
    }
}
