//! What a request waits for before it is sent: [`Exchange::receive`] spools its body before the application is asked
//! for anything, [`Exchange::admission`] takes a place at the application.

use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant};

use unladen_http1::{Length, Response};
use unladen_observability::Reason;
use unladen_pool::is_out_of_files;

use super::{Exchange, Failure};
use crate::limits::queue::{Entered, Place, Queue, Refusal, Ticket};
use crate::message::downstream::Downstream;
use crate::message::spool::{Spool, SpoolError};
use crate::message::stream::{BodySource, SpoolSource};
use crate::request::phase::Phase;

/// `Retry-After` when there is no room for a body: by then slow ones have ended, or been ended.
const ROOM_AFTER: Duration = Duration::from_secs(5);

impl Exchange<'_, '_> {
    /// Reads the body to its end, and returns the spooled source. `None` if there is none, it is here already, or it is
    /// streamed.
    pub(crate) async fn receive<'c>(
        &self,
        body: &mut BodySource<'c>,
        client: &mut Downstream<'c>,
    ) -> Result<Option<BodySource<'c>>, Failure> {
        let buffer = &self.proxy.settings.buffer;
        let length = self.request.length;
        // A CGI program gets the length before the body (RFC 3875, section 4.1.2).
        let is_needed = self.proxy.script.is_some() && length == Length::Chunked;
        let is_wanted = buffer.requests || is_needed;
        if matches!(length, Length::None | Length::Exact(0)) || !is_wanted || body.holds(length) {
            return Ok(None);
        }
        let is_streamed = |start: &String| self.request.target.starts_with(start.as_bytes());
        if !is_needed && buffer.streamed.iter().any(is_streamed) {
            return Ok(None);
        }
        let spools = &self.proxy.spools;
        if matches!(length, Length::Exact(length) if length > spools.longest(self.client)) {
            return Err(Failure::Upstream(Reason::BodyTooLarge, None));
        }
        self.state.phase.set(Phase::Receiving);
        let settings = &self.proxy.settings.client;
        let idle = self.proxy.upstream.settings().timeouts.idle;
        let began = self.deadline.now();
        self.deadline.set(idle);
        self.deadline.until(settings.body_pace.until(began, 0));
        if self.request.expects_continue() {
            let go_on = Response { status: 100, minor: 1, ..Response::default() };
            client.interim(&go_on).await.map_err(|_| Failure::ClientGone)?;
        }
        let limit = settings.body_bytes;
        let mut spool = Spool::new(spools).of(client.share()).for_client(self.client);
        poll_fn(|cx| {
            let before = spool.length();
            let received = loop {
                match body.poll_fill(cx) {
                    Poll::Ready(Ok(true)) => {
                        let data = body.data();
                        if limit.is_some_and(|limit| data.len() as u64 > limit.saturating_sub(spool.length())) {
                            break Poll::Ready(Err(Failure::Upstream(Reason::BodyTooLarge, None)));
                        }
                        match spool.poll_push(cx, data) {
                            Poll::Ready(Ok(count)) => body.consume(count),
                            Poll::Ready(Err(error)) => break Poll::Ready(Err(failure(&error))),
                            Poll::Pending => {
                                self.state.phase.set(Phase::Storing);
                                break Poll::Pending;
                            }
                        }
                    }
                    Poll::Ready(Ok(false)) => break Poll::Ready(Ok(())),
                    Poll::Ready(Err(error)) => break Poll::Ready(Err(Failure::of_client(&error))),
                    Poll::Pending => {
                        self.state.phase.set(Phase::Receiving);
                        // An idle sender holds no memory.
                        body.rest();
                        break Poll::Pending;
                    }
                }
            };
            self.state.bytes_in.set(spool.length());
            if received.is_ready() {
                self.deadline.look();
            } else if spool.length() > before {
                self.deadline.renew(idle);
                self.deadline.until(settings.body_pace.until(began, spool.length()));
            }
            received
        })
        .await?;
        let trailers = body.trailers().cloned();
        Ok(Some(BodySource::Spool(Box::new(SpoolSource { spool, trailers }))))
    }
}

fn failure(error: &SpoolError) -> Failure {
    match error {
        SpoolError::NoRoom => Failure::Upstream(Reason::BufferFull, Some(ROOM_AFTER)),
        SpoolError::Disk(error) if is_out_of_files(error) => Failure::Upstream(Reason::OutOfFiles, None),
        SpoolError::Disk(_) => Failure::Upstream(Reason::DiskFailed, None),
    }
}

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
