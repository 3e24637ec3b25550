//! The principal type is [`Call`]: a bidirectional gRPC call over HTTP/2
//! (<https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>).

use std::io;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use h2::{RecvStream, SendStream};
use http::{HeaderMap, StatusCode, Uri};
use prost::Message;
use tokio_util::task::AbortOnDropHandle;

use crate::grpc::{Ended, PREFIX, framed, head, request};
use crate::resolve::ResolveError;
use crate::tls::TlsError;
use crate::transport::Transport;

/// gRPC's own default of the maximum message size.
const LARGEST: usize = 4 << 20;
const WINDOW: u32 = 1 << 20;

#[derive(Debug)]
pub(super) struct Call {
    send: SendStream<Bytes>,
    answers: Answers,
    read: BytesMut,
    _driver: AbortOnDropHandle<()>,
}

/// The answer's head comes only with the first message.
#[derive(Debug)]
enum Answers {
    Awaited(h2::client::ResponseFuture),
    Come(RecvStream),
}

impl Call {
    /// Calls a method such as `/package.Service/Method` over this transport.
    pub(super) async fn new(transport: Transport, uri: String) -> Result<Self, XdsError> {
        let (client, connection) = h2::client::Builder::new()
            .enable_push(false)
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .handshake::<_, Bytes>(transport)
            .await?;
        let driver = AbortOnDropHandle::new(tokio::spawn(async move {
            // The stream gets its error.
            let _ = connection.await;
        }));
        let begun = async {
            let uri = uri.parse::<Uri>().map_err(|error| XdsError::Protocol(error.to_string()))?;
            Ok::<_, XdsError>(client.ready().await?.send_request(request(uri), false)?)
        };
        let (answer, send) = begun.await?;
        Ok(Self { send, answers: Answers::Awaited(answer), read: BytesMut::new(), _driver: driver })
    }

    /// Sends a message; bytes beyond the windows follow later.
    pub(super) fn send(&mut self, message: &impl Message) -> Result<(), XdsError> {
        Ok(self.send.send_data(framed(message).map_err(XdsError::Protocol)?, false)?)
    }

    /// The next message. Cancel-safe.
    pub(super) async fn receive<M: Message + Default>(&mut self) -> Result<M, XdsError> {
        if let Answers::Awaited(answer) = &mut self.answers {
            let (head, body) = answer.await?.into_parts();
            if head.status != StatusCode::OK {
                return Err(XdsError::Status(head.status));
            }
            if head.headers.contains_key("grpc-status") {
                return Err(ended(&head.headers));
            }
            self.answers = Answers::Come(body);
        }
        let Answers::Come(body) = &mut self.answers else { return Err(ended(&HeaderMap::new())) };
        loop {
            if let Some(message) = take(&mut self.read)? {
                return M::decode(message).map_err(|error| XdsError::Protocol(error.to_string()));
            }
            match body.data().await {
                Some(data) => {
                    let data = data?;
                    body.flow_control().release_capacity(data.len())?;
                    self.read.extend_from_slice(&data);
                }
                None => return Err(ended(&body.trailers().await?.unwrap_or_default())),
            }
        }
    }
}

fn take(read: &mut BytesMut) -> Result<Option<Bytes>, XdsError> {
    let Some((length, rest)) = head(read).map_err(XdsError::Protocol)? else { return Ok(None) };
    if length > LARGEST {
        return Err(XdsError::Protocol(format!("a message of {length} bytes; at most {LARGEST} are accepted")));
    }
    if rest.len() < length {
        return Ok(None);
    }
    read.advance(PREFIX);
    Ok(Some(read.split_to(length).freeze()))
}

fn ended(trailers: &HeaderMap) -> XdsError {
    let Ended { status, message } = Ended::of(trailers);
    XdsError::Ended { status, message }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum XdsError {
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    #[error("no connection: {0}")]
    Connect(#[from] io::Error),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("its connection failed: {0}")]
    Http2(#[from] h2::Error),
    #[error("it answered {0}; expected a gRPC server with AggregatedDiscoveryService (v3)")]
    Status(http::StatusCode),
    #[error("it ended the call, grpc-status `{status}`: {message}")]
    Ended { status: String, message: String },
    /// It sent what gRPC does not allow, or too much.
    #[error("it sent invalid data: {0}")]
    Protocol(String),
    #[error("no answer within {0:?}: check whether it knows this node and this cluster")]
    Silent(Duration),
    #[error("refused (NACK) version `{version}`: {why}")]
    Refused { version: String, why: String },
    #[error("it has no cluster `{0}`")]
    NoCluster(String),
}

#[cfg(test)]
mod tests;
