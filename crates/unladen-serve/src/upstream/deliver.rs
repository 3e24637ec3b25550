//! [`Exchange::delivered`]: delivers the rest of an answer to a slow client, holding nothing of the upstream meanwhile.

use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use unladen_observability::{End, Reason};

use super::attempt::Rest;
use super::{Attempt, Exchange, Failure};
use crate::message::stream::{BodySource, FileSource, Piece, PumpError, Relay, Relayed, Sink, SinkError};
use crate::request::phase::Phase;
use crate::request::watch::Stretch;

impl Exchange<'_, '_> {
    pub(crate) async fn delivered(&self, rest: Option<Rest<'_, '_, '_>>) -> Result<Attempt, Failure> {
        let Some(rest) = rest else { return Ok(Attempt::Done(End::Answered)) };
        let status = match &rest {
            Rest::Waiting { .. } => self.state.status.get(),
            Rest::File { response, .. } => response.status,
        };
        // The upstream has done its part: another request may have its place.
        if let Some(mut in_flight) = self.state.in_flight.take() {
            in_flight.report(!matches!(status, 502..=504), self.deadline.now());
        }
        drop(self.state.place.take());
        self.state.phase.set(Phase::Delivering);
        // It bounds what the upstream may take.
        self.deadline.lift();
        let (mut file, mut download, mut to, body) = match rest {
            Rest::Waiting { download, to, body } => (None, download, to, body),
            Rest::File { file, pieces, client, response, options, body } => {
                self.state.status.set(status);
                let share = client.share().cloned();
                let to = client.respond(response, options, self.deadline.now()).map_err(|()| Failure::ClientGone)?;
                let from = if pieces.iter().all(Piece::is_empty) {
                    BodySource::Empty
                } else if to.takes_files() {
                    BodySource::File(Box::new(FileSource::direct(file, pieces, false)))
                } else {
                    BodySource::File(Box::new(FileSource::read(file, pieces, share.as_ref())))
                };
                // It is on a disk already: nothing is read ahead.
                (Some(from), Relay::new(None, self.client), to, body)
            }
        };
        let idle = self.proxy.upstream.settings().timeouts.idle;
        self.deadline.renew(idle);
        let mut slow = Stretch::default();
        let done = poll_fn(|cx| {
            let delivered = poll_delivered(cx, &mut file, &mut download, &mut to);
            if delivered.is_pending() {
                if download.has_moved() {
                    self.deadline.renew(idle);
                }
                let is_held_up = file.is_none() || download.is_held_up;
                let pace = self.proxy.settings.client.answer_pace;
                self.deadline.until(slow.until(pace, is_held_up, self.deadline.now(), download.bytes));
                if body.poll_gone(cx) || to.poll_gone(cx) {
                    return Poll::Ready(Err(PumpError::Sink(SinkError::Gone)));
                }
            }
            delivered
        })
        .await;
        self.deadline.look();
        self.state.bytes_out.set(to.coded_bytes().unwrap_or(download.bytes));
        match done {
            Ok(()) => Ok(Attempt::Done(End::Answered)),
            Err(PumpError::Source(_) | PumpError::Sink(SinkError::Shrunk)) => {
                if !to.has_sent() {
                    // The client knows nothing of the answer yet, and so can have an error reply.
                    self.state.status.set(0);
                }
                to.reset();
                Err(Failure::Upstream(Reason::DiskFailed, None))
            }
            Err(_) => Err(Failure::ClientGone),
        }
    }
}

/// Carries a file, if there is one, to its end, and delivers what waits.
fn poll_delivered(
    cx: &mut Context<'_>,
    file: &mut Option<BodySource<'_>>,
    download: &mut Relay<'_>,
    to: &mut Sink<'_>,
) -> Poll<Result<(), PumpError>> {
    if let Some(from) = file {
        match ready!(download.poll(cx, from, to))? {
            Relayed::Whole => return Poll::Ready(Ok(())),
            Relayed::Here => *file = None,
        }
    }
    download.poll_rest(cx, to)
}
