//! [`poll_send_file`]: sends part of a file within the kernel, without a copy.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::task::{Context, Poll, ready};

use rustix::net::SendFlags;
use tokio::io::Interest;
use unladen_pool::{Half, Socket};

/// Sends bytes of which more follows at once, so that they share packets; returns how many were taken.
pub(super) fn poll_send_more(half: Half<'_>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
    poll_socket(half, cx, |socket| Ok(rustix::net::send(socket, bytes, SendFlags::MORE | SendFlags::NOSIGNAL)?))
}

/// Sends up to `most` bytes of a file; returns how many were taken, 0 at the file's end.
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

/// Runs `work` once the socket is writable, and again if it was not after all.
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
