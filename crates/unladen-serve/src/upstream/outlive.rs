//! [`Exchange::outlive`]: a program of FastCGI works on, though its client has left.

use std::future::poll_fn;
use std::io;

use unladen_pool::{Connection, Half};

use crate::upstream::exchange::Exchange;

impl Exchange<'_, '_> {
    /// Whether a program works on when the client has left before it was answered. The program sees that nobody wants
    /// its answer only when it writes it: if its place were given to the next one before, whoever asks and leaves would
    /// fill the queue of its socket, past the one in front of it.
    pub(super) fn outlives_its_client(&self) -> bool {
        self.proxy.script.is_some() && self.state.place.borrow().is_some() && !self.state.has_begun()
    }

    /// Waits until the program has done with a request that nobody waits for, or until an answer is waited for no
    /// longer.
    pub(super) async fn outlive(&self, mut connection: Connection) {
        self.state.is_left.set(true);
        self.deadline.renew(self.proxy.upstream.settings().timeouts.first_byte);
        // Of a connection that fails, the program has gone.
        let _ = drained(&mut connection).await;
    }
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
