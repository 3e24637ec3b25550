//! [`Exchange::delivered`]: the rest of an answer that is here, for a client that takes it more slowly than it came.
//! Nothing of the upstream's is held meanwhile.

use std::future::poll_fn;
use std::task::Poll;

use unladen_observability::{End, Reason};

use crate::message::stream::{PumpError, SinkError};
use crate::request::phase::Phase;
use crate::request::stretch::Stretch;
use crate::upstream::attempt::Rest;
use crate::upstream::exchange::{Attempt, Exchange, Failure};

impl Exchange<'_, '_> {
    /// Has the client take the rest, if there is one.
    pub(crate) async fn delivered(&self, rest: Option<Rest<'_, '_, '_>>) -> Result<Attempt, Failure> {
        let Some(Rest { mut download, mut to, body }) = rest else { return Ok(Attempt::Done(End::Answered)) };
        // The upstream has done its part: another request may have its place.
        if let Some(mut in_flight) = self.state.in_flight.take() {
            in_flight.report(!matches!(self.state.status.get(), 502..=504), self.deadline.now());
        }
        drop(self.state.place.take());
        self.state.phase.set(Phase::Delivering);
        // It bounds what the upstream may take.
        self.deadline.lift();
        let idle = self.proxy.upstream.settings().timeouts.idle;
        self.deadline.renew(idle);
        let mut slow = Stretch::default();
        let done = poll_fn(|cx| {
            let delivered = download.poll_rest(cx, &mut to);
            if delivered.is_pending() {
                if download.has_moved() {
                    self.deadline.renew(idle);
                }
                let pace = self.proxy.settings.client.answer_pace;
                self.deadline.until(slow.until(pace, true, self.deadline.now(), download.bytes));
                if body.poll_gone(cx) || to.poll_gone(cx) {
                    return Poll::Ready(Err(PumpError::Sink(SinkError::Gone)));
                }
            }
            delivered
        })
        .await;
        self.deadline.look();
        self.state.bytes_out.set(to.coded().unwrap_or(download.bytes));
        match done {
            Ok(()) => Ok(Attempt::Done(End::Answered)),
            Err(PumpError::Source(_)) => {
                to.reset();
                Err(Failure::Upstream(Reason::DiskFailed, None))
            }
            Err(_) => Err(Failure::ClientGone),
        }
    }
}
