//! The principal type is [`Downstream`]: who is answered, over HTTP/1, HTTP/2 or internally.

use std::cell::Cell;
use std::future::poll_fn;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use unladen_cache::Accepted;
use unladen_http1::{Fields, Length, Response};
use unladen_observability::Reason;
use unladen_pool::Half;

use super::compose::{ToClient, interim_to_h1, memory_to_h1, memory_to_h2, response_to_h1, response_to_h2};
use super::stream::{BodySource, CodedSink, H1Sink, H2Sink, PlainSink, Sink, SinkError};
use crate::cache::cache_fetch::{CacheFetch, FetchSink};
use crate::cache::cached_response::CachedResponse;
use crate::cache::coded::{Coded, coded};
use crate::cache::head_answer::HeadAnswer;
use crate::cache::response_policy::ResponsePolicy;
use crate::limits::budget::Share;
use crate::site::route::Edits;

pub(crate) enum Downstream<'a> {
    H1(H1Downstream<'a>),
    H2(H2Downstream<'a>),
    Internal(Internal),
}

pub(crate) enum Internal {
    Fetch(Box<CacheFetch>),
    /// A validator's HEAD about a page.
    HeadCheck(HeadAnswer),
}

pub(crate) struct H1Downstream<'a> {
    pub(crate) half: Half<'a>,
    pub(crate) out: &'a mut Vec<u8>,
    pub(crate) address: Option<IpAddr>,
    pub(crate) minor: u8,
    /// Whether the connection is kept after the answer; read again afterwards.
    pub(crate) keep: &'a mut bool,
    /// Whether the process drains: then every answer closes the connection, also that of an earlier request.
    pub(crate) is_draining: &'a Cell<bool>,
    pub(crate) share: &'a Arc<Share>,
    pub(crate) touch: Option<Rc<ResponsePolicy>>,
    /// Codings the client takes, if the site compresses.
    pub(crate) codings: Option<Accepted>,
    /// The route's changes to the fields of any answer.
    pub(crate) edits: Option<Arc<Edits>>,
}

/// One stream of an HTTP/2 client.
pub(crate) struct H2Downstream<'a> {
    pub(crate) send: &'a mut h2::server::SendResponse<Bytes>,
    pub(crate) address: Option<IpAddr>,
    pub(crate) share: &'a Arc<Share>,
    pub(crate) touch: Option<Rc<ResponsePolicy>>,
    pub(crate) codings: Option<Accepted>,
    pub(crate) edits: Option<Arc<Edits>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ResponseOptions {
    /// It answers a HEAD: its body is left out.
    pub(crate) head: bool,
    pub(crate) close: bool,
    pub(crate) via: bool,
}

// === impl H1Downstream ===

impl H1Downstream<'_> {
    fn to(&self, ResponseOptions { head, close, via }: ResponseOptions) -> ToClient {
        let keep = *self.keep && !close && !self.is_draining.get();
        ToClient { minor: self.minor, keep, head, via }
    }
}

impl Downstream<'_> {
    /// `None` for a Unix socket.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self {
            Self::H1(client) => client.address,
            Self::H2(client) => client.address,
            Self::Internal(Internal::Fetch(fetch)) => fetch.address(),
            Self::Internal(Internal::HeadCheck(asked)) => asked.address,
        }
    }

    /// `None` if it has no connection.
    pub(crate) fn share(&self) -> Option<&Arc<Share>> {
        match self {
            Self::H1(client) => Some(client.share),
            Self::H2(client) => Some(client.share),
            Self::Internal(_) => None,
        }
    }

    /// Whether the system can send it files: on HTTP/1 without TLS.
    pub(crate) fn takes_files(&self) -> bool {
        matches!(self, Self::H1(client) if !client.half.is_encrypted())
    }

    pub(crate) fn can_upgrade(&self) -> bool {
        matches!(self, Self::H1(client) if client.minor == 1)
    }

    /// Whether the client has gone, having sent all of its request.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>, body: &mut BodySource<'_>) -> bool {
        match self {
            Self::H1(_) => body.poll_gone(cx),
            Self::H2(client) => client.send.poll_reset(cx).is_ready(),
            // The next asker wants it too.
            Self::Internal(_) => false,
        }
    }

    /// Whether somebody waits whose leaving would be noticed.
    pub(crate) fn is_waited_for(&self) -> bool {
        !matches!(self, Self::Internal(Internal::Fetch(fetch)) if !fetch.is_wanted())
    }

    /// Whether nobody waits any more for what was not asked for yet. The client has sent all of its request.
    pub(crate) fn poll_left(&mut self, cx: &mut Context<'_>, body: &mut BodySource<'_>) -> bool {
        match self {
            Self::Internal(Internal::Fetch(fetch)) => fetch.poll_unwanted(cx).is_ready(),
            _ => self.poll_gone(cx, body),
        }
    }

    pub(crate) async fn interim(&mut self, response: &Response) -> Result<(), SinkError> {
        match self {
            // HTTP/1.0 has none (RFC 9110, section 15.2).
            Self::H1(client) if client.minor == 0 => Ok(()),
            Self::H1(client) => {
                client.out.clear();
                interim_to_h1(client.out, response);
                let sink = H1Sink::new(client.half, client.out, Length::None);
                let mut sink = sink.for_client(Some(client.share));
                poll_fn(|cx| sink.poll_flush(cx)).await
            }
            Self::H2(client) => {
                let head = response_to_h2(response, &Fields::default(), false, Instant::now());
                Ok(client.send.send_informational(head)?)
            }
            Self::Internal(_) => Ok(()),
        }
    }

    pub(crate) fn respond(
        &mut self,
        response: &Response,
        options: ResponseOptions,
        now: Instant,
    ) -> Result<Sink<'_>, ()> {
        let mut more = self.touch().map_or_else(Fields::default, |touch| touch.answered(response));
        let coded = self.coded(response, options.head, &mut more);
        let response = coded.as_ref().map_or(response, |coded| &coded.response);
        let edited = self.edits().map(|edits| {
            let mut edited = response.clone();
            edits.take_off(&mut more);
            edits.apply(&mut edited.fields);
            edited
        });
        let sink = self.begin(edited.as_ref().unwrap_or(response), &more, options, now)?;
        Ok(match coded.and_then(|coded| coded.encoder) {
            Some((encoder, held)) => Sink::Coded(Box::new(CodedSink::new(sink, encoder, held))),
            None => Sink::Plain(sink),
        })
    }

    fn begin(
        &mut self,
        response: &Response,
        more: &Fields,
        options: ResponseOptions,
        now: Instant,
    ) -> Result<PlainSink<'_>, ()> {
        match self {
            Self::H1(client) => {
                let mut to = client.to(options);
                let framing = to.framing(response);
                client.out.clear();
                response_to_h1(client.out, response, more, framing, to, now);
                *client.keep = to.keep;
                Ok(PlainSink::H1(H1Sink::new(client.half, client.out, framing).for_client(Some(client.share))))
            }
            Self::H2(client) => {
                let ends = options.head || matches!(response.length, Length::None | Length::Exact(0));
                let head = response_to_h2(response, more, options.via, now);
                Ok(PlainSink::H2(match ends {
                    true => H2Sink::begun_with(client.send, head, true, client.share).map_err(|_| ())?,
                    false => H2Sink::holding(client.send, head, client.share),
                }))
            }
            Self::Internal(Internal::Fetch(fetch)) => Ok(PlainSink::Fetch(fetch.caught(response))),
            Self::Internal(Internal::HeadCheck(asked)) => {
                asked.answered(response);
                Ok(PlainSink::Fetch(FetchSink::nowhere()))
            }
        }
    }

    pub(crate) fn remember(
        &mut self,
        memory: &CachedResponse<'_>,
        more: &Fields,
        options: ResponseOptions,
        now: Instant,
    ) -> Result<Sink<'_>, ()> {
        if let Some(edits) = self.edits() {
            let mut response = memory.response();
            more.iter().for_each(|field| response.fields.push(field.name, field.value));
            edits.apply(&mut response.fields);
            return self.begin(&response, &Fields::default(), options, now).map(Sink::Plain);
        }
        match self {
            Self::H1(client) => {
                let mut to = client.to(options);
                client.out.clear();
                let framing = memory_to_h1(client.out, memory, more, &mut to);
                *client.keep = to.keep;
                Ok(H1Sink::new(client.half, client.out, framing).for_client(Some(client.share)).into())
            }
            Self::H2(client) => {
                let ends = options.head || matches!(memory.length, Length::None | Length::Exact(0));
                let head = memory_to_h2(memory, more, options.via, now);
                let sink = H2Sink::begun_with(client.send, head, ends, client.share).map_err(|_| ())?;
                Ok(sink.into())
            }
            Self::Internal(_) => Err(()),
        }
    }

    fn coded(&self, response: &Response, head: bool, more: &mut Fields) -> Option<Coded> {
        match self {
            Self::H1(H1Downstream { codings: Some(accepted), share, .. })
            | Self::H2(H2Downstream { codings: Some(accepted), share, .. }) => {
                coded(response, head, *accepted, share, more)
            }
            _ => None,
        }
    }

    /// Compresses its answers on their way, as it accepts.
    pub(crate) fn set_codings(&mut self, accepted: Accepted) {
        match self {
            Self::H1(client) => client.codings = Some(accepted),
            Self::H2(client) => client.codings = Some(accepted),
            Self::Internal(_) => (),
        }
    }

    pub(crate) fn set_edits(&mut self, edits: Arc<Edits>) {
        match self {
            Self::H1(client) => client.edits = Some(edits),
            Self::H2(client) => client.edits = Some(edits),
            Self::Internal(_) => (),
        }
    }

    fn edits(&self) -> Option<Arc<Edits>> {
        match self {
            Self::H1(client) => client.edits.clone(),
            Self::H2(client) => client.edits.clone(),
            Self::Internal(_) => None,
        }
    }

    fn touch(&self) -> Option<&Rc<ResponsePolicy>> {
        match self {
            Self::H1(client) => client.touch.as_ref(),
            Self::H2(client) => client.touch.as_ref(),
            Self::Internal(_) => None,
        }
    }

    pub(crate) fn set_touch(&mut self, touch: Rc<ResponsePolicy>) {
        match self {
            Self::H1(client) => client.touch = Some(touch),
            Self::H2(client) => client.touch = Some(touch),
            Self::Internal(_) => (),
        }
    }

    /// Whether it is no client: those who wait for the answer are counted themselves.
    pub(crate) fn is_internal(&self) -> bool {
        matches!(self, Self::Internal(_))
    }

    /// Reports that there is no answer; `true` if nothing else need be sent.
    pub(crate) fn failed(&mut self, reason: Reason, after: Option<Duration>) -> bool {
        match self {
            Self::Internal(Internal::Fetch(fetch)) => fetch.failed(reason, after),
            Self::Internal(Internal::HeadCheck(_)) => (),
            Self::H1(_) | Self::H2(_) => return false,
        }
        true
    }

    /// Closes the connection with the answer, which says so: the rest of the request would be read as the next one.
    pub(crate) fn ends(&mut self) {
        if let Self::H1(client) = self {
            *client.keep = false;
        }
    }

    pub(crate) async fn answer(&mut self, response: &Response, body: &str, options: ResponseOptions) -> Result<(), ()> {
        let mut sink = self.respond(response, options, Instant::now())?;
        let body = if options.head { "" } else { body };
        let mut sent = 0;
        poll_fn(|cx| {
            while sent < body.len() {
                match sink.poll_write(cx, &body.as_bytes()[sent..]) {
                    Poll::Ready(Ok(count)) => sent += count,
                    Poll::Ready(Err(_)) => return Poll::Ready(Err(())),
                    Poll::Pending => return Poll::Pending,
                }
            }
            sink.poll_end(cx, None).map_err(|_| ())
        })
        .await
    }
}
