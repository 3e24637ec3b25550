//! [`Exchange::outlive`]: waits for a FastCGI program whose client has left.

use std::future::poll_fn;
use std::io;

use unladen_pool::{Connection, Half};

use crate::upstream::exchange::Exchange;

impl Exchange<'_, '_> {
    /// Whether a program works on after its client left without an answer. It notices only when it writes: if its place
    /// were passed on before, clients that ask and leave would fill its socket's queue, past the one in front of it.
    pub(super) fn outlives_its_client(&self) -> bool {
        self.proxy.script.is_some() && self.state.place.borrow().is_some() && !self.state.has_begun()
    }

    /// Waits until the program is done with the abandoned request, or the wait for an answer times out.
    pub(super) async fn outlive(&self, mut connection: Connection) {
        self.state.is_left.set(true);
        self.deadline.renew(self.proxy.upstream.settings().timeouts.first_byte);
        // If the connection fails, the program is gone.
        let _ = drained(&mut connection).await;
    }
}

/// Ends the request, whole or not, and reads and drops the answer.
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
