//! The principal type is [`Transit`]: a request and its answer on one connection, until the answer's head is there.

use std::task::{Context, Poll};

use unladen_http1::Length;
use unladen_observability::Reason;

use crate::message::stream::{PumpError, Sink, SinkError};
use crate::request::phase::Phase;
use crate::request::stretch::Stretch;
use crate::upstream::answer::{Answer, Lost};
use crate::upstream::exchange::{Exchange, Failure, Work};

pub(crate) struct Transit<'a> {
    pub(crate) sink: Sink<'a>,
    pub(crate) answer: Answer<'a>,
    pub(crate) uploading: bool,
    /// Why the upstream takes no more of it.
    pub(crate) refused: Option<SinkError>,
    slow: Stretch,
}

impl<'a> Transit<'a> {
    pub(crate) fn new(sink: Sink<'a>, answer: Answer<'a>) -> Self {
        Self { sink, answer, uploading: true, refused: None, slow: Stretch::default() }
    }
}

impl Exchange<'_, '_> {
    /// Sends what it can until a head is there: an interim one, or the answer's.
    pub(crate) fn poll_head(
        &self,
        cx: &mut Context<'_>,
        transit: &mut Transit<'_>,
        work: &mut Work<'_, '_, '_>,
    ) -> Poll<Result<(), Lost>> {
        // Once the request has begun, its answer takes precedence over a client that is slow or breaks off, and over an
        // upload that never pauses, which would use up the task's budget time after time.
        let is_asked = transit.sink.has_sent();
        if is_asked && let Poll::Ready(headed) = transit.answer.poll_head(cx, work.response) {
            self.end_without_body(cx, transit, work);
            return Poll::Ready(headed);
        }
        if transit.uploading
            && let Err(failure) = self.upload(cx, transit, work)
        {
            return Poll::Ready(Err(Lost::Client(failure)));
        }
        if !is_asked && let Poll::Ready(headed) = transit.answer.poll_head(cx, work.response) {
            return Poll::Ready(headed);
        }
        if !transit.uploading && work.client.poll_gone(cx, work.body) {
            return Poll::Ready(Err(Lost::Client(Failure::ClientGone)));
        }
        Poll::Pending
    }

    /// Ends a request without body, which is complete: it is not answered early, and its connections stay.
    fn end_without_body(&self, cx: &mut Context<'_>, transit: &mut Transit<'_>, work: &mut Work<'_, '_, '_>) {
        let limit = self.proxy.settings.client.body_bytes;
        if transit.uploading
            && matches!(self.request.length, Length::None | Length::Exact(0))
            && let Poll::Ready(done) = work.upload.poll(cx, work.body, &mut transit.sink, limit)
        {
            transit.uploading = false;
            if let Err(PumpError::Sink(error)) = done {
                transit.refused = Some(error);
            }
        }
    }

    /// Sends what there is, and sets the deadline for more.
    fn upload(
        &self,
        cx: &mut Context<'_>,
        transit: &mut Transit<'_>,
        work: &mut Work<'_, '_, '_>,
    ) -> Result<(), Failure> {
        let timeouts = &self.proxy.upstream.settings().timeouts;
        let limit = self.proxy.settings.client.body_bytes;
        let Work { upload, received, body, .. } = work;
        let Poll::Ready(done) = upload.poll(cx, received.as_mut().unwrap_or(body), &mut transit.sink, limit) else {
            if upload.has_moved() {
                self.deadline.renew(timeouts.idle);
            }
            let held_up = upload.is_held_up;
            let (now, bytes) = (self.deadline.now(), upload.bytes);
            let pace = self.proxy.settings.client.body_pace;
            self.deadline.until(transit.slow.until(pace, !held_up, now, bytes));
            self.state.phase.set(if held_up { Phase::Waiting } else { Phase::Sending });
            return Ok(());
        };
        transit.uploading = false;
        self.state.phase.set(Phase::Waiting);
        if upload.has_moved() {
            self.deadline.look();
        }
        self.deadline.set(timeouts.first_byte);
        match done {
            Ok(()) => Ok(()),
            // It may have answered before it stopped reading.
            Err(PumpError::Sink(error)) => {
                transit.refused = Some(error);
                Ok(())
            }
            Err(PumpError::TooLarge) => Err(Failure::Upstream(Reason::BodyTooLarge, None)),
            Err(PumpError::Source(error)) => Err(Failure::of_client(&error)),
        }
    }
}
