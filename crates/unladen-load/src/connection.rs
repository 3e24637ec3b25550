//! The principal type is [`Connection`]: one open connection for requests and responses.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::{Response, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1, http2};
use hyper_util::rt::TokioIo;

use crate::connect::Opened;
use crate::exchange::ConnectTimes;
use crate::failure::Failure;
use crate::http_version::Protocol;
use crate::request::{Message, Request};
use crate::wire::Traffic;

/// Maximum head of a response, and buffered body of a connection: with hyper's own bound, 408 KiB, connections for
/// large pages took 0.8 MB each, and an agent with hundreds of them more than a host has to spare.
const MOST_BUFFERED: usize = 64 << 10;

/// An open connection. A clone of one for HTTP/2 is the same connection.
pub(crate) struct Connection {
    sender: Sender,
    traffic: Arc<Traffic>,
    pub(crate) times: ConnectTimes,
}

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

pub(crate) struct Unanswered {
    pub(crate) failure: Failure,
    pub(crate) unsent: bool,
    pub(crate) silent: bool,
}

#[derive(Clone, Copy, Debug)]
struct Local;

impl Connection {
    /// Starts HTTP on an open stream; a separate task watches the connection, idle or not, so that its end is known
    /// before the next request is sent.
    pub(crate) async fn start(opened: Opened) -> Result<Self, hyper::Error> {
        let Opened { wire, traffic, speaks, times } = opened;
        let io = TokioIo::new(wire);
        let sender = match speaks {
            Protocol::Http1 => {
                let (sender, connection) = http1::Builder::new().max_buf_size(MOST_BUFFERED).handshake(io).await?;
                watch(connection);
                Sender::Http1(sender)
            }
            Protocol::Http2 => {
                let (sender, connection) = http2::handshake(Local, io).await?;
                watch(connection);
                Sender::Http2(sender)
            }
        };
        Ok(Self { sender, traffic, times })
    }

    pub(crate) fn protocol(&self) -> Protocol {
        match self.sender {
            Sender::Http1(_) => Protocol::Http1,
            Sender::Http2(_) => Protocol::Http2,
        }
    }

    pub(crate) fn share(&self) -> Option<Self> {
        match &self.sender {
            Sender::Http1(_) => None,
            Sender::Http2(sender) => {
                let sender = Sender::Http2(sender.clone());
                Some(Self { sender, traffic: self.traffic.clone(), times: self.times })
            }
        }
    }

    /// Waits until it can take a request; false if the server has closed it.
    pub(crate) async fn is_open(&mut self) -> bool {
        match &mut self.sender {
            Sender::Http1(sender) => sender.ready().await,
            Sender::Http2(sender) => sender.ready().await,
        }
        .is_ok()
    }

    /// When the last request was written; `None` over HTTP/2, where another one may have been written before.
    pub(crate) fn written(&self) -> Option<Instant> {
        match self.sender {
            Sender::Http1(_) => self.traffic.written(),
            Sender::Http2(_) => None,
        }
    }

    pub(crate) async fn send(&mut self, request: &Request) -> Result<Response<Incoming>, Unanswered> {
        let before = self.traffic.received();
        self.traffic.rearm();
        let unanswered = |mut error: TrySendError<Message>, silent| Unanswered {
            unsent: error.take_message().is_some(),
            failure: Failure::Hyper(error.into_error()),
            silent,
        };
        match &mut self.sender {
            Sender::Http1(sender) => sender
                .try_send_request(request.message(Version::HTTP_11))
                .await
                .map_err(|error| unanswered(error, self.traffic.received() == before)),
            // Bytes on a shared connection may belong to others; no head came for this request.
            Sender::Http2(sender) => {
                sender.try_send_request(request.message(Version::HTTP_2)).await.map_err(|error| unanswered(error, true))
            }
        }
    }
}

impl<F> hyper::rt::Executor<F> for Local
where
    F: Future + 'static,
    F::Output: 'static,
{
    fn execute(&self, future: F) {
        tokio::task::spawn_local(future);
    }
}

fn watch(connection: impl Future<Output = Result<(), hyper::Error>> + 'static) {
    tokio::task::spawn_local(async {
        // A request that waits on this connection gets the error too, with its cause.
        let _ = connection.await;
    });
}
