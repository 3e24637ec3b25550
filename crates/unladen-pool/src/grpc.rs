//! Common parts of gRPC calls over HTTP/2 (<https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>): request,
//! message framing, and end of a call. The principal type is [`Ended`].

use bytes::{BufMut, Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Method, Request, Uri, Version, header};
use prost::Message;

const AGENT: HeaderValue = HeaderValue::from_static(concat!("unladen/", env!("CARGO_PKG_VERSION")));
const PROTO: HeaderValue = HeaderValue::from_static("application/grpc+proto");
const TRAILERS: HeaderValue = HeaderValue::from_static("trailers");

/// Bytes before each message: a compression flag and the length.
pub const PREFIX: usize = 5;

/// Status of an ended call, from the peer. Bounded in length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// `grpc-status`: `0` is success; empty if missing.
    pub status: String,
    /// `grpc-message`: the reason.
    pub message: String,
}

/// Request of a call of this URI, such as `http://host/package.Service/Method`.
pub fn request(uri: Uri) -> Request<()> {
    let mut request = Request::new(());
    (*request.method_mut(), *request.version_mut(), *request.uri_mut()) = (Method::POST, Version::HTTP_2, uri);
    let headers = request.headers_mut();
    headers.insert(header::CONTENT_TYPE, PROTO);
    headers.insert(header::TE, TRAILERS);
    headers.insert(header::USER_AGENT, AGENT);
    request
}

/// A message framed for sending, not compressed.
///
/// # Errors
/// If it is too long for the length field.
pub fn framed(message: &impl Message) -> Result<Bytes, String> {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(PREFIX + length);
    bytes.put_u8(0);
    bytes.put_u32(u32::try_from(length).map_err(|_| "a request that is too long".to_owned())?);
    message.encode(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes.freeze())
}

/// Length of the first message, and the bytes after the prefix; `None` if the prefix is incomplete. The peer chooses
/// the length: bound it before allocating.
///
/// # Errors
/// If it is compressed, which was not requested.
pub fn head(read: &[u8]) -> Result<Option<(usize, &[u8])>, String> {
    let Some((&[flag, a, b, c, d], rest)) = read.split_first_chunk::<PREFIX>() else { return Ok(None) };
    if flag != 0 {
        return Err("a compressed message, though compression was not requested".to_owned());
    }
    Ok(Some((usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX), rest)))
}

impl Ended {
    /// Reads the trailers; in an answer without a message, its head.
    pub fn of(trailers: &HeaderMap) -> Self {
        let text = |name: &str, most: usize| {
            let value = trailers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
            value.chars().take(most).collect()
        };
        Self { status: text("grpc-status", 8), message: text("grpc-message", 200) }
    }
}

#[cfg(test)]
mod tests;
