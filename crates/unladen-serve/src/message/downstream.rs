//! The principal types are [`Downstream`], who is answered, over HTTP/1, HTTP/2 or internally; and [`ClientSide`], what
//! answering takes.

use std::cell::Cell;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use unladen_cache::Accepted;
use unladen_http1::{Fields, Length, Response};
use unladen_observability::Reason;
use unladen_pool::Half;

use super::compose::{ToClient, interim_to_h1, response_to_h1, response_to_h2};
use super::stream::{BodySource, H1Sink, H2Sink, PlainSink, Sink, SinkError};
use crate::cache::cache_fetch::{CacheFetch, FetchSink};
use crate::cache::cache_lookup::HeadCheck;
use crate::cache::cached_response::CachedResponse;
use crate::cache::coded::{Coded, coded};
use crate::cache::response_policy::ResponsePolicy;
use crate::limits::budget::{Claim, Share};
use crate::request::watch::{Deadline, Watch};
use crate::site::route::Edits;

/// Who asks, the rest of the request, and what the answer is made in.
pub(crate) struct ClientSide<'d, 'c> {
    pub(crate) watch: &'d mut Watch,
    pub(crate) body: &'d mut BodySource<'c>,
    pub(crate) client: &'d mut Downstream<'c>,
    pub(crate) response: &'d mut Response,
    pub(crate) up: &'d mut Vec<u8>,
    pub(crate) id: &'d mut Vec<u8>,
    pub(crate) key: &'d mut Vec<u8>,
    pub(crate) variant: &'d mut Vec<u8>,
    pub(crate) more: &'d mut Fields,
}

impl ClientSide<'_, '_> {
    /// Answers with `response` and this text; whether the client has taken it by the deadline.
    pub(crate) async fn answer(&mut self, words: &str, options: ResponseOptions, deadline: &Deadline) -> bool {
        if !self.body.is_done() {
            self.client.ends();
        }
        let answering = self.client.answer(self.response, words, options);
        self.watch.over(deadline, pin!(answering)).await == Some(Ok(()))
    }

    /// Waits until enough lent memory is released; whether it was. To be called before looking into the store: a wait
    /// with a stored response in hand keeps it in memory.
    #[cold]
    pub(crate) async fn is_lent(&mut self) -> bool {
        let Self { watch, body, client, .. } = self;
        let Some(share) = client.share().cloned() else { return true };
        let mut claim = Claim::new(share);
        let deadline = Deadline::of_local_reply(Instant::now());
        let waiting = poll_fn(|cx| {
            if client.poll_gone(cx, body) {
                return Poll::Ready(false);
            }
            claim.poll_lent(cx).map(|()| true)
        });
        watch.over(&deadline, pin!(waiting)).await.unwrap_or(false)
    }
}

pub(crate) enum Downstream<'a> {
    H1(H1Downstream<'a>),
    H2(H2Downstream<'a>),
    Internal(Internal),
}

pub(crate) enum Internal {
    Fetch(Box<CacheFetch>),
    /// A validator's HEAD about a page.
    HeadCheck(HeadCheck),
}

pub(crate) struct H1Downstream<'a> {
    pub(crate) half: Half<'a>,
    pub(crate) out: &'a mut Vec<u8>,
    pub(crate) minor: u8,
    /// Whether the connection is kept after the answer; read again afterwards.
    pub(crate) keep: &'a mut bool,
    /// Whether the process drains: then every answer closes the connection, also that of an earlier request.
    pub(crate) is_draining: &'a Cell<bool>,
    pub(crate) client: Client<'a>,
}

/// One stream of an HTTP/2 client.
pub(crate) struct H2Downstream<'a> {
    pub(crate) send: &'a mut h2::server::SendResponse<Bytes>,
    pub(crate) client: Client<'a>,
}

/// A client, whatever it speaks.
pub(crate) struct Client<'a> {
    address: Option<IpAddr>,
    share: &'a Arc<Share>,
    policy: Option<Rc<ResponsePolicy>>,
    /// Codings that it takes, if the site compresses.
    codings: Option<Accepted>,
    /// The route's changes to the fields of any answer.
    edits: Option<Arc<Edits>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ResponseOptions {
    /// It answers a HEAD: its body is left out.
    pub(crate) head: bool,
    pub(crate) close: bool,
    pub(crate) via: bool,
}

impl H1Downstream<'_> {
    fn to(&self, ResponseOptions { head, close, via }: ResponseOptions) -> ToClient {
        let keep = *self.keep && !close && !self.is_draining.get();
        ToClient { minor: self.minor, keep, head, via }
    }
}

impl<'a> Client<'a> {
    pub(crate) fn new(address: Option<IpAddr>, share: &'a Arc<Share>) -> Self {
        Self { address, share, policy: None, codings: None, edits: None }
    }
}

impl<'a> Downstream<'a> {
    fn client(&self) -> Option<&Client<'a>> {
        match self {
            Self::H1(h1) => Some(&h1.client),
            Self::H2(h2) => Some(&h2.client),
            Self::Internal(_) => None,
        }
    }

    fn client_mut(&mut self) -> Option<&mut Client<'a>> {
        match self {
            Self::H1(h1) => Some(&mut h1.client),
            Self::H2(h2) => Some(&mut h2.client),
            Self::Internal(_) => None,
        }
    }

    /// `None` for a Unix socket.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self {
            Self::H1(h1) => h1.client.address,
            Self::H2(h2) => h2.client.address,
            Self::Internal(Internal::Fetch(fetch)) => fetch.wanted.address,
            Self::Internal(Internal::HeadCheck(check)) => check.address,
        }
    }

    /// `None` if it has no connection.
    pub(crate) fn share(&self) -> Option<&Arc<Share>> {
        self.client().map(|client| client.share)
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
            Self::H1(h1) if h1.minor == 0 => Ok(()),
            Self::H1(h1) => {
                h1.out.clear();
                interim_to_h1(h1.out, response);
                let sink = H1Sink::new(h1.half, h1.out, Length::None);
                let mut sink = sink.for_client(Some(h1.client.share));
                poll_fn(|cx| sink.poll_flush(cx)).await
            }
            Self::H2(h2) => {
                let head = response_to_h2(response, &Fields::default(), false, Instant::now());
                Ok(h2.send.send_informational(head)?)
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
        let policy = self.client().and_then(|client| client.policy.as_ref());
        let mut more = policy.map_or_else(Fields::default, |policy| policy.answered(response));
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
            Some((encoder, held)) => Sink::coded(sink, encoder, held),
            None => Sink::plain(sink),
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
            Self::H1(h1) => {
                let mut to = h1.to(options);
                let framing = to.framing(response);
                h1.out.clear();
                response_to_h1(h1.out, response, more, framing, to, now);
                *h1.keep = to.keep;
                Ok(PlainSink::H1(H1Sink::new(h1.half, h1.out, framing).for_client(Some(h1.client.share))))
            }
            Self::H2(h2) => {
                let ends = options.head || matches!(response.length, Length::None | Length::Exact(0));
                let head = response_to_h2(response, more, options.via, now);
                Ok(PlainSink::H2(match ends {
                    true => H2Sink::begun_with(h2.send, head, true, h2.client.share).map_err(|_| ())?,
                    false => H2Sink::holding(h2.send, head, h2.client.share),
                }))
            }
            Self::Internal(Internal::Fetch(fetch)) => Ok(PlainSink::Fetch(fetch.caught(response))),
            Self::Internal(Internal::HeadCheck(check)) => {
                check.answered(response);
                Ok(PlainSink::Fetch(FetchSink::nowhere()))
            }
        }
    }

    pub(crate) fn respond_cached(
        &mut self,
        cached: &CachedResponse<'_>,
        more: &Fields,
        options: ResponseOptions,
        now: Instant,
    ) -> Result<Sink<'_>, ()> {
        if let Some(edits) = self.edits() {
            let mut response = cached.response();
            more.iter().for_each(|field| response.fields.push(field.name, field.value));
            edits.apply(&mut response.fields);
            return self.begin(&response, &Fields::default(), options, now).map(Sink::plain);
        }
        match self {
            Self::H1(h1) => {
                let to = h1.to(options);
                h1.out.clear();
                let framing = cached.write_h1(h1.out, more, to);
                *h1.keep = to.keep;
                Ok(H1Sink::new(h1.half, h1.out, framing).for_client(Some(h1.client.share)).into())
            }
            Self::H2(h2) => {
                let ends = options.head || matches!(cached.length, Length::None | Length::Exact(0));
                let head = cached.to_h2(more, options.via, now);
                let sink = H2Sink::begun_with(h2.send, head, ends, h2.client.share).map_err(|_| ())?;
                Ok(sink.into())
            }
            Self::Internal(_) => Err(()),
        }
    }

    fn coded(&self, response: &Response, head: bool, more: &mut Fields) -> Option<Coded> {
        let client = self.client()?;
        coded(response, head, client.codings?, client.share, more)
    }

    fn edits(&self) -> Option<Arc<Edits>> {
        self.client()?.edits.clone()
    }

    /// Compresses its answers on their way, as it accepts.
    pub(crate) fn set_codings(&mut self, accepted: Accepted) {
        if let Some(client) = self.client_mut() {
            client.codings = Some(accepted);
        }
    }

    pub(crate) fn set_edits(&mut self, edits: Arc<Edits>) {
        if let Some(client) = self.client_mut() {
            client.edits = Some(edits);
        }
    }

    pub(crate) fn set_policy(&mut self, policy: Rc<ResponsePolicy>) {
        if let Some(client) = self.client_mut() {
            client.policy = Some(policy);
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
