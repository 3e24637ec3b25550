//! The principal type is [`Call`]: one call of gRPC whose messages go both ways, over HTTP/2
//! (<https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>).

use bytes::{Buf, BufMut, Bytes, BytesMut};
use h2::{RecvStream, SendStream};
use http::{HeaderMap, Method, Request, StatusCode, Version, header};
use prost::Message;
use tokio::task::JoinHandle;

use super::error::XdsError;
use crate::transport::Transport;

/// What gRPC itself has for the largest message that is taken.
const LARGEST: usize = 4 << 20;
/// Before each message: whether it is compressed, and its length.
const PREFIX: usize = 5;
const WINDOW: u32 = 1 << 20;

/// One call of gRPC. Ends with this.
#[derive(Debug)]
pub(super) struct Call {
    send: SendStream<Bytes>,
    answers: Answers,
    read: BytesMut,
    driver: JoinHandle<()>,
}

/// The answer's head comes when there is something to answer.
#[derive(Debug)]
enum Answers {
    Awaited(h2::client::ResponseFuture),
    Come(RecvStream),
}

impl Drop for Call {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

// === impl Call ===

impl Call {
    /// Of a method such as `/package.Service/Method`, at whom this leads to.
    pub(super) async fn new(transport: Transport, uri: String) -> Result<Self, XdsError> {
        let (client, connection) = h2::client::Builder::new()
            .enable_push(false)
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .handshake::<_, Bytes>(transport)
            .await?;
        let driver = tokio::spawn(async move {
            // How it ended is told to the stream.
            let _ = connection.await;
        });
        let begun = async {
            let request = Request::builder()
                .method(Method::POST)
                .version(Version::HTTP_2)
                .uri(uri)
                .header(header::CONTENT_TYPE, "application/grpc+proto")
                .header(header::TE, "trailers")
                .header(header::USER_AGENT, concat!("unladen/", env!("CARGO_PKG_VERSION")))
                .body(())
                .map_err(|error| XdsError::Protocol(error.to_string()))?;
            Ok::<_, XdsError>(client.ready().await?.send_request(request, false)?)
        };
        match begun.await {
            Ok((answer, send)) => Ok(Self { send, answers: Answers::Awaited(answer), read: BytesMut::new(), driver }),
            Err(error) => {
                driver.abort();
                Err(error)
            }
        }
    }

    /// Sends a message; what finds no room in the windows goes out when there is.
    pub(super) fn send(&mut self, message: &impl Message) -> Result<(), XdsError> {
        let length = message.encoded_len();
        let mut bytes = BytesMut::with_capacity(PREFIX + length);
        bytes.put_u8(0);
        bytes.put_u32(u32::try_from(length).map_err(|_| XdsError::Protocol("a request too long".to_owned()))?);
        message.encode(&mut bytes).map_err(|error| XdsError::Protocol(error.to_string()))?;
        Ok(self.send.send_data(bytes.freeze(), false)?)
    }

    /// The next message. Nothing of it is lost if this is dropped before it ends.
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

/// A whole message, if there is one.
fn take(read: &mut BytesMut) -> Result<Option<Bytes>, XdsError> {
    let Some(&[flag, a, b, c, d]) = read.first_chunk::<PREFIX>() else { return Ok(None) };
    if flag != 0 {
        return Err(XdsError::Protocol("a compressed message, though none was asked for".to_owned()));
    }
    let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
    if length > LARGEST {
        return Err(XdsError::Protocol(format!("a message of {length} bytes; at most {LARGEST} are taken")));
    }
    if read.len() < PREFIX + length {
        return Ok(None);
    }
    read.advance(PREFIX);
    Ok(Some(read.split_to(length).freeze()))
}

/// Why the call is over, by its trailers.
fn ended(trailers: &HeaderMap) -> XdsError {
    let text = |name: &str| trailers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    XdsError::Ended {
        status: text("grpc-status").chars().take(8).collect(),
        message: text("grpc-message").chars().take(200).collect(),
    }
}

#[cfg(test)]
mod tests;
