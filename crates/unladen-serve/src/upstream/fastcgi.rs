//! [`Exchange::over_fastcgi`]: one attempt over a FastCGI connection, and the wait for a program whose client has left.

use std::future::poll_fn;
use std::io;

use unladen_http1::{Length, Response};
use unladen_observability::{End, Reason};
use unladen_pool::{Connection, Half};

use super::answer::{Answer, Transit};
use super::attempt::Carried;
use super::params::{ParamsOf, write_request};
use super::{Attempt, Exchange, Failure, Work};
use crate::message::stream::{BodySource, H1Sink, Output, Sink};

impl<'u> Exchange<'_, 'u> {
    pub(super) async fn over_fastcgi(
        &self,
        mut connection: Connection,
        work: &mut Work<'_, '_, 'u>,
    ) -> Result<Attempt, Failure> {
        let Some(settings) = &self.proxy.script else { return Err(Failure::Upstream(Reason::NoEndpoint, None)) };
        let endpoint = connection.endpoint.clone();
        let busy = endpoint.busy();
        self.state.fastcgi.clear();
        // Alternating: late data of an answer is not taken for the next one's.
        let number = 1 + (connection.requests % 2) as u16;
        let mut buffers = std::mem::take(work.buffers);
        buffers.clear();
        let of = ParamsOf {
            request: self.request,
            additions: &self.additions(&endpoint, work),
            client: self.client,
            port: self.port,
            script: self.script,
            settings,
            body: self.length(work),
        };
        if let Err(reason) = write_request(&mut buffers, number, &of) {
            *work.buffers = buffers;
            return Err(Failure::Upstream(reason, None));
        }
        if self.request.expects_continue() && work.received.is_none() && work.upload.bytes == 0 && !work.body.is_done()
        {
            // Nobody else asks for the body.
            let go_on = Response { status: 100, minor: 1, ..Response::default() };
            work.client.interim(&go_on).await.map_err(|_| Failure::ClientGone)?;
        }
        connection.requests += 1;
        let was_used = connection.requests > 1;
        let waits = connection.take_waits();
        let half = Half(&connection.transport);
        let sink = Sink::from(H1Sink::fastcgi(half, &mut buffers, number));
        let notes = &self.state.fastcgi;
        let output = Output::new(half, &mut connection.buffer, number, notes);
        let answer = Answer::fastcgi(output, &self.request.method, self.proxy.response_limits(), notes, waits);
        let carried = self.carry(Transit::new(sink, answer), work, was_used, &endpoint).await;
        let done = match carried {
            Err(Failure::ClientGone) if self.outlives_its_client() => {
                self.outlive(connection).await;
                drop(busy);
                Err(Failure::ClientGone)
            }
            Err(failure) => Err(failure),
            Ok(Carried::Whole(kept, rest)) => {
                if settings.keep && kept.is_some() && connection.buffer.is_empty() {
                    self.proxy.upstream.give_back(self.thread, connection, self.deadline.now());
                } else {
                    drop(connection);
                }
                drop(busy);
                self.delivered(rest).await
            }
            // CGI has no status 101.
            Ok(Carried::Upgraded) => Ok(Attempt::Done(End::Answered)),
            Ok(Carried::Nothing(attempt)) => Ok(attempt),
        };
        *work.buffers = buffers;
        done
    }

    /// Bytes of the body; one of unknown length was spooled until known ([`Exchange::receive`]).
    fn length(&self, work: &Work<'_, '_, '_>) -> Option<u64> {
        match (&work.received, self.request.length) {
            (Some(BodySource::Spool(source)), _) => Some(source.spool.length()),
            (_, Length::Exact(length)) => Some(length),
            _ => None,
        }
    }
}

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
