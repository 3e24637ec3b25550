//! Tunnels between two connections that have changed their protocol (RFC 9110, section 7.8).

use std::future::poll_fn;
use std::io;
use std::io::IoSlice;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use unladen_pool::{Buffer, Half};

use crate::request::RequestState;
use crate::request::watch::Deadline;

struct Way<'a> {
    from: Half<'a>,
    buffer: &'a mut Buffer,
    to: Half<'a>,
    bytes: u64,
    /// Its sender has ended.
    ended: bool,
    done: bool,
}

impl Way<'_> {
    fn poll(&mut self, cx: &mut Context<'_>, deadline: &Deadline, idle: Duration) -> Poll<io::Result<()>> {
        while !self.done {
            while !self.buffer.is_empty() {
                let count = ready!(self.to.poll_write(cx, &[IoSlice::new(self.buffer.bytes())]))?;
                self.buffer.consume(count);
                self.bytes += count as u64;
                deadline.renew(idle);
            }
            ready!(self.to.poll_flush(cx))?;
            if self.ended {
                ready!(self.to.poll_shutdown(cx))?;
                self.done = true;
                break;
            }
            self.ended = ready!(self.from.poll_read(self.buffer, cx))? == 0;
        }
        Poll::Ready(Ok(()))
    }
}

/// Carries bytes both ways until both sides have ended, or one fails.
pub(crate) async fn tunnel(
    client: (Half<'_>, &mut Buffer),
    upstream: (Half<'_>, &mut Buffer),
    deadline: &Deadline,
    idle: Duration,
    state: &RequestState<'_>,
) {
    // It may last for hours on a connection of its own, which is bounded, so it frees its place.
    drop(state.place.take());
    deadline.renew(idle);
    let mut up = Way { from: client.0, buffer: client.1, to: upstream.0, bytes: 0, ended: false, done: false };
    let mut down = Way { from: upstream.0, buffer: upstream.1, to: client.0, bytes: 0, ended: false, done: false };
    let mut is_ups_turn = false;
    poll_fn(|cx| {
        // By turns: one that never pauses would use up the task's budget.
        is_ups_turn = !is_ups_turn;
        let early = is_ups_turn.then(|| up.poll(cx, deadline, idle));
        let received = down.poll(cx, deadline, idle);
        let sent = early.unwrap_or_else(|| up.poll(cx, deadline, idle));
        state.bytes_in.set(up.bytes);
        state.bytes_out.set(down.bytes);
        match (sent, received) {
            (Poll::Ready(Err(_)), _) | (_, Poll::Ready(Err(_))) => Poll::Ready(()),
            (Poll::Ready(Ok(())), Poll::Ready(Ok(()))) => Poll::Ready(()),
            _ => Poll::Pending,
        }
    })
    .await;
}
