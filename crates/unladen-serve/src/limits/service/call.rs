//! One question and its answer in gRPC (<https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>): [`call`].

use bytes::{BufMut, Bytes, BytesMut};
use h2::client::SendRequest;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri, Version, header};
use prost::Message;

use super::messages::{RateLimitRequest, RateLimitResponse, Verdict};

/// A verdict is some tens of bytes for each descriptor.
const LARGEST: usize = 64 << 10;
/// Before each message: whether it is compressed, and its length.
const PREFIX: usize = 5;
const AGENT: HeaderValue = HeaderValue::from_static(concat!("unladen/", env!("CARGO_PKG_VERSION")));
const PROTO: HeaderValue = HeaderValue::from_static("application/grpc+proto");
const TRAILERS: HeaderValue = HeaderValue::from_static("trailers");

/// Asks. The error: what happened instead of an answer.
pub(super) async fn call(sender: SendRequest<Bytes>, uri: Uri, question: &RateLimitRequest) -> Result<Verdict, String> {
    let failed = |error: h2::Error| format!("its connection failed: {error}");
    let mut request = Request::new(());
    (*request.method_mut(), *request.version_mut(), *request.uri_mut()) = (Method::POST, Version::HTTP_2, uri);
    let headers = request.headers_mut();
    headers.insert(header::CONTENT_TYPE, PROTO);
    headers.insert(header::TE, TRAILERS);
    headers.insert(header::USER_AGENT, AGENT);
    let length = question.encoded_len();
    let mut bytes = BytesMut::with_capacity(PREFIX + length);
    bytes.put_u8(0);
    bytes.put_u32(u32::try_from(length).map_err(|_| "a question too long".to_owned())?);
    question.encode(&mut bytes).map_err(|error| error.to_string())?;
    let mut sender = sender.ready().await.map_err(failed)?;
    let (response, mut stream) = sender.send_request(request, false).map_err(failed)?;
    stream.send_data(bytes.freeze(), true).map_err(failed)?;
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
    // Of an answer without a message, its head is all there is.
    ended_well(trailers.as_ref().unwrap_or(&head.headers))?;
    let response = RateLimitResponse::decode(message(&read)?).map_err(|error| format!("it cannot be read: {error}"))?;
    response.verdict().ok_or_else(|| "it answered UNKNOWN".to_owned())
}

/// The one message of an answer.
pub(super) fn message(read: &[u8]) -> Result<&[u8], String> {
    let Some((&[flag, a, b, c, d], message)) = read.split_first_chunk::<PREFIX>() else {
        return Err("an answer without a message".to_owned());
    };
    if flag != 0 {
        return Err("a compressed message, though none was asked for".to_owned());
    }
    let length = u32::from_be_bytes([a, b, c, d]);
    if usize::try_from(length) != Ok(message.len()) {
        return Err(format!("a message of {length} bytes that has {}", message.len()));
    }
    Ok(message)
}

/// Whether the call succeeded, by what is said at its end.
pub(super) fn ended_well(trailers: &HeaderMap) -> Result<(), String> {
    let text = |name: &str| trailers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match text("grpc-status") {
        "0" => Ok(()),
        status => {
            let (status, message) = (status.chars().take(8), text("grpc-message").chars().take(200));
            Err(format!(
                "it ended the call, grpc-status `{}`: {}",
                status.collect::<String>(),
                message.collect::<String>()
            ))
        }
    }
}
