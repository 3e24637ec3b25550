//! [`call`]: one question and its answer in gRPC (<https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>).

use bytes::{Bytes, BytesMut};
use h2::client::SendRequest;
use http::{HeaderMap, StatusCode, Uri};
use prost::Message;
use unladen_pool::grpc::{Ended, PREFIX, framed, head, request};

use super::messages::{RateLimitRequest, RateLimitResponse, Verdict};

/// Most bytes of an answer: a verdict takes some tens for each descriptor.
const LARGEST: usize = 64 << 10;

/// Asks; the error says what happened instead of an answer.
pub(super) async fn call(sender: SendRequest<Bytes>, uri: Uri, question: &RateLimitRequest) -> Result<Verdict, String> {
    let failed = |error: h2::Error| format!("its connection failed: {error}");
    let bytes = framed(question)?;
    let mut sender = sender.ready().await.map_err(failed)?;
    let (response, mut stream) = sender.send_request(request(uri), false).map_err(failed)?;
    stream.send_data(bytes, true).map_err(failed)?;
    let (head, mut body) = response.await.map_err(failed)?.into_parts();
    if head.status != StatusCode::OK {
        return Err(format!("it answered {}; expected a server of gRPC", head.status));
    }
    let mut read = BytesMut::new();
    while let Some(data) = body.data().await {
        let data = data.map_err(failed)?;
        if read.len() + data.len() > PREFIX + LARGEST {
            return Err(format!("an answer of more than {LARGEST} bytes"));
        }
        body.flow_control().release_capacity(data.len()).map_err(failed)?;
        read.extend_from_slice(&data);
    }
    let trailers = body.trailers().await.map_err(failed)?;
    // An answer without a message has only a head.
    ended_well(trailers.as_ref().unwrap_or(&head.headers))?;
    let response = RateLimitResponse::decode(message(&read)?).map_err(|error| format!("it cannot be read: {error}"))?;
    response.verdict().ok_or_else(|| "it answered UNKNOWN".to_owned())
}

pub(super) fn message(read: &[u8]) -> Result<&[u8], String> {
    let (length, message) = head(read)?.ok_or("an answer without a message")?;
    if length != message.len() {
        return Err(format!("a message of {length} bytes that has {}", message.len()));
    }
    Ok(message)
}

pub(super) fn ended_well(trailers: &HeaderMap) -> Result<(), String> {
    match Ended::of(trailers) {
        Ended { status, .. } if status == "0" => Ok(()),
        Ended { status, message } => Err(format!("it ended the call, grpc-status `{status}`: {message}")),
    }
}
