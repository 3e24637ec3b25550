//! [`Exchange::outlive`]: a program of FastCGI works on, though its client has left.

use std::future::poll_fn;
use std::io;
use std::net::Shutdown;

use socket2::SockRef;
use tokio::io::Interest;
use tokio::net::UnixStream;
use unladen_fastcgi::{END_REQUEST, HEADER};
use unladen_pool::{Connection, Half, Socket};

use crate::upstream::exchange::Exchange;

/// Bytes of the record that a request ends with.
const END: usize = HEADER + 8;

impl Exchange<'_, '_> {
    /// Whether a program works on when the client has left. It sees that nobody wants its answer only when it writes it:
    /// if its place were given to the next one before, whoever asks and leaves would fill the queue of its socket, past
    /// the one in front of it.
    pub(super) fn outlives_its_client(&self) -> bool {
        self.proxy.script.is_some() && self.state.place.borrow().is_some() && !self.state.said.has_ended.get()
    }

    /// Waits until the program has done with a request that nobody waits for, or until an answer is waited for no
    /// longer. `is_whole`: all of the request was sent.
    pub(super) async fn outlive(&self, mut connection: Connection, is_whole: bool) {
        self.state.is_left.set(true);
        self.deadline.renew(self.proxy.upstream.settings().timeouts.first_byte);
        let Connection { transport, buffer, .. } = &mut connection;
        // Of a connection that fails, the program has gone.
        let _ = match transport.get_mut().socket() {
            Socket::Unix(stream) if is_whole => until_closed(stream, buffer.bytes()).await,
            _ => drained(&mut connection).await,
        };
    }
}

/// Of a Unix socket: what the program writes from now on fails, as if this end had been closed; and the open end tells
/// when the program has closed the other, which it does with a connection that fails. `came`: what was read before.
async fn until_closed(stream: &UnixStream, came: &[u8]) -> io::Result<()> {
    SockRef::from(stream).shutdown(Shutdown::Read)?;
    if ends_request(stream, came)? {
        return Ok(());
    }
    loop {
        // It may be written to at any time: that is not what is waited for.
        if stream.ready(Interest::WRITABLE).await?.is_write_closed() {
            return Ok(());
        }
        let _ = stream.try_io(Interest::WRITABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
    }
}

/// Whether the last of what came before the socket was shut is the request's end: of a connection that is kept, the
/// program waits for the next request then, and closes nothing.
fn ends_request(stream: &UnixStream, came: &[u8]) -> io::Result<bool> {
    let mut last = came.to_vec();
    let mut block = [0; 4096];
    loop {
        let count = rustix::io::read(stream, &mut block)?;
        if count == 0 {
            break;
        }
        last.extend_from_slice(block.get(..count).unwrap_or_default());
        last.drain(..last.len().saturating_sub(END));
    }
    let record = last.get(last.len().saturating_sub(END)..).unwrap_or_default();
    Ok(matches!(record, [1, END_REQUEST, _, _, 0, 8, 0, ..]) && record.len() == END)
}

/// The request ends here, whole or not; and what the program answers is read to its end, and dropped.
async fn drained(connection: &mut Connection) -> io::Result<()> {
    let half = Half(&connection.transport);
    poll_fn(|cx| half.poll_shutdown(cx)).await?;
    loop {
        let all = connection.buffer.bytes().len();
        connection.buffer.consume(all);
        if half.read(&mut connection.buffer).await? == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests;
