//! [`Exchange::admission`]: takes a place at the application, waiting if all are taken.

use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant};

use crate::limits::queue::{Entered, Place, Queue, Refusal, Ticket};
use crate::message::downstream::Downstream;
use crate::message::stream::BodySource;
use crate::request::phase::Phase;
use crate::upstream::exchange::{Exchange, Failure};

impl<'u> Exchange<'_, 'u> {
    /// `is_whole`: all of the request has been read.
    pub(crate) async fn admission(
        &self,
        queue: &'u Queue,
        is_whole: bool,
        body: &mut BodySource<'_>,
        client: &mut Downstream<'_>,
    ) -> Result<Place<'u>, Failure> {
        match queue.enter(&self.queue_entry, self.deadline.now()) {
            Ok(Entered::Place(place)) => Ok(place),
            Ok(Entered::Ticket(ticket)) => {
                // Boxed: few wait, and the others need no room for it.
                Box::pin(self.turn(ticket, is_whole, body, client)).await
            }
            Err(refusal) => Err(refused(refusal)),
        }
    }

    #[cold]
    async fn turn(
        &self,
        mut ticket: Ticket<'u>,
        is_whole: bool,
        body: &mut BodySource<'_>,
        client: &mut Downstream<'_>,
    ) -> Result<Place<'u>, Failure> {
        let began = self.deadline.now();
        let longest = ticket.longest();
        self.state.phase.set(Phase::Queueing);
        // The queue bounds the wait itself.
        self.deadline.set(longest.saturating_mul(2) + Duration::from_secs(1));
        let is_watched = is_whole && client.is_waited_for();
        let waiting = poll_fn(|cx| match ticket.poll(cx) {
            Poll::Ready(told) => Poll::Ready(told.map_err(refused)),
            // Its place is another's at once.
            Poll::Pending if is_watched && client.poll_left(cx, body) => Poll::Ready(Err(Failure::ClientGone)),
            Poll::Pending => Poll::Pending,
        });
        let told = tokio::time::timeout(longest, waiting).await;
        let place = told.unwrap_or_else(|_| ticket.expire(Instant::now()).map_err(refused));
        let now = self.deadline.look();
        self.state.queued.set(Some(now.saturating_duration_since(began)));
        self.state.phase.set(Phase::Admitting);
        place
    }
}

fn refused(refusal: Refusal) -> Failure {
    Failure::Upstream(refusal.why.reason(), Some(refusal.after))
}
