//! The principal type is [`Client`]: whoever asked, to be answered by HTTP/1 or HTTP/2.

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

use crate::cache::cache_fetch::{CacheFetch, FetchSink};
use crate::cache::cached_response::CachedResponse;
use crate::cache::coded::{Coded, coded};
use crate::cache::head_answer::HeadAnswer;
use crate::cache::response_policy::ResponsePolicy;
use crate::limits::budget::Share;
use crate::message::compose::{ToClient, interim_to_h1, memory_to_h1, memory_to_h2, response_to_h1, response_to_h2};
use crate::message::stream::{BodySource, CodedSink, H1Sink, H2Sink, PlainSink, Sink, SinkError};
use crate::site::edits::Edits;

/// Whoever asked.
pub(crate) enum Downstream<'a> {
    /// On a connection of HTTP/1.
    H1(H1Downstream<'a>),
    /// On a stream of HTTP/2.
    H2(H2Downstream<'a>),
    /// No client at all.
    Internal(Internal),
}

/// What a site asks for of its own accord.
pub(crate) enum Internal {
    /// An answer for several, and for the store.
    Fetch(Box<CacheFetch>),
    /// What the application says of a page.
    HeadCheck(HeadAnswer),
}

/// A client of HTTP/1.
pub(crate) struct H1Downstream<'a> {
    pub(crate) half: Half<'a>,
    pub(crate) out: &'a mut Vec<u8>,
    pub(crate) address: Option<IpAddr>,
    pub(crate) minor: u8,
    /// Whether the connection is kept after the answer. Looked at again afterwards.
    pub(crate) keep: &'a mut bool,
    /// Whether its process ends: then no answer leaves the connection open, also of a request that came before.
    pub(crate) is_draining: &'a Cell<bool>,
    /// What is held for its connection.
    pub(crate) share: &'a Arc<Share>,
    /// What a site does to an answer on its way.
    pub(crate) touch: Option<Rc<ResponsePolicy>>,
    /// Of a site that compresses: what it takes.
    pub(crate) codings: Option<Accepted>,
    /// What a route does to the fields of whatever answers it.
    pub(crate) edits: Option<Arc<Edits>>,
}

/// A client of HTTP/2: one of its streams.
pub(crate) struct H2Downstream<'a> {
    pub(crate) send: &'a mut h2::server::SendResponse<Bytes>,
    pub(crate) address: Option<IpAddr>,
    /// What is held for its connection.
    pub(crate) share: &'a Arc<Share>,
    pub(crate) touch: Option<Rc<ResponsePolicy>>,
    /// Of a site that compresses: what it takes.
    pub(crate) codings: Option<Accepted>,
    /// What a route does to the fields of whatever answers it.
    pub(crate) edits: Option<Arc<Edits>>,
}

/// How a response is sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ResponseOptions {
    /// It answers a HEAD: its body is left out.
    pub(crate) head: bool,
    /// The connection ends with it.
    pub(crate) close: bool,
    /// `Via` is added.
    pub(crate) via: bool,
}

// === impl H1Downstream ===

impl H1Downstream<'_> {
    /// How a response is written to it.
    fn to(&self, ResponseOptions { head, close, via }: ResponseOptions) -> ToClient {
        let keep = *self.keep && !close && !self.is_draining.get();
        ToClient { minor: self.minor, keep, head, via }
    }
}

impl Downstream<'_> {
    /// Its address, unless it called through a Unix socket.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self {
            Self::H1(client) => client.address,
            Self::H2(client) => client.address,
            Self::Internal(Internal::Fetch(fetch)) => fetch.address(),
            Self::Internal(Internal::HeadCheck(asked)) => asked.address,
        }
    }

    /// What is held for its connection; none: it is nobody's.
    pub(crate) fn share(&self) -> Option<&Arc<Share>> {
        match self {
            Self::H1(client) => Some(client.share),
            Self::H2(client) => Some(client.share),
            Self::Internal(_) => None,
        }
    }

    /// Whether the system can send it files: it is on a connection of HTTP/1 in clear.
    pub(crate) fn takes_files(&self) -> bool {
        matches!(self, Self::H1(client) if !client.half.is_encrypted())
    }

    /// Whether its connection can become another protocol's.
    pub(crate) fn can_upgrade(&self) -> bool {
        matches!(self, Self::H1(client) if client.minor == 1)
    }

    /// Whether it has gone: it has sent all of its request, and waits.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>, body: &mut BodySource<'_>) -> bool {
        match self {
            Self::H1(_) => body.poll_gone(cx),
            Self::H2(client) => client.send.poll_reset(cx).is_ready(),
            // It is wanted by whoever asks next, too.
            Self::Internal(_) => false,
        }
    }

    /// Whether somebody waits for it, of whom it would be known that he leaves.
    pub(crate) fn is_waited_for(&self) -> bool {
        !matches!(self, Self::Internal(Internal::Fetch(fetch)) if !fetch.is_wanted())
    }

    /// Whether nobody waits for it any more: of what is not asked for yet. The client has sent all of its request.
    pub(crate) fn poll_left(&mut self, cx: &mut Context<'_>, body: &mut BodySource<'_>) -> bool {
        match self {
            Self::Internal(Internal::Fetch(fetch)) => fetch.poll_unwanted(cx).is_ready(),
            _ => self.poll_gone(cx, body),
        }
    }

    /// Passes an interim answer on, or the one that changes the protocol.
    pub(crate) async fn interim(&mut self, response: &Response) -> Result<(), SinkError> {
        match self {
            // HTTP/1.0 knows none (RFC 9110, section 15.2).
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

    /// Begins the answer: where its body goes to.
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

    /// Begins an answer from memory.
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

    /// The answer in a coding that the client takes, if it is to be put into one.
    fn coded(&self, response: &Response, head: bool, more: &mut Fields) -> Option<Coded> {
        match self {
            Self::H1(H1Downstream { codings: Some(accepted), share, .. })
            | Self::H2(H2Downstream { codings: Some(accepted), share, .. }) => {
                coded(response, head, *accepted, share, more)
            }
            _ => None,
        }
    }

    /// Its answers are compressed on their way, as it takes them.
    pub(crate) fn set_codings(&mut self, accepted: Accepted) {
        match self {
            Self::H1(client) => client.codings = Some(accepted),
            Self::H2(client) => client.codings = Some(accepted),
            Self::Internal(_) => (),
        }
    }

    /// What a route does to the fields of whatever answers it.
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

    /// What a site does to the answer on its way.
    pub(crate) fn set_touch(&mut self, touch: Rc<ResponsePolicy>) {
        match self {
            Self::H1(client) => client.touch = Some(touch),
            Self::H2(client) => client.touch = Some(touch),
            Self::Internal(_) => (),
        }
    }

    /// Whether it is no client: each of those who wait for what is asked for is counted by itself.
    pub(crate) fn is_internal(&self) -> bool {
        matches!(self, Self::Internal(_))
    }

    /// There is no answer for it: true, if that is all it is to know.
    pub(crate) fn failed(&mut self, reason: Reason, after: Option<Duration>) -> bool {
        match self {
            Self::Internal(Internal::Fetch(fetch)) => fetch.failed(reason, after),
            Self::Internal(Internal::HeadCheck(_)) => (),
            Self::H1(_) | Self::H2(_) => return false,
        }
        true
    }

    /// Its connection ends with the answer, which says so: what is left of the request would be read as the next one.
    pub(crate) fn ends(&mut self) {
        if let Self::H1(client) = self {
            *client.keep = false;
        }
    }

    /// Sends an answer of our own.
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
