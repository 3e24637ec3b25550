//! [`ask_fastcgi`]: one request to a FastCGI program, on its own connection.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use unladen_fastcgi::{
    Decoder, Fault, ParamTooLong, Refusal, RequestWriter, Stderr, Unwrapped, end_of_stdin, parse_head,
};
use unladen_http1::{HeadLimits, Response};

use crate::dial::dial;
use crate::endpoint::Endpoint;
use crate::transport::Transport;

/// Maximum bytes of an answer: those requested have some hundred.
const MOST: usize = 64 * 1024;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    #[error("no connection: {0}")]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Malformed(#[from] Fault),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Question(#[from] ParamTooLong),
    #[error("the answer is longer than {MOST} bytes")]
    Long,
    #[error("it closed the connection before it answered")]
    Closed,
    #[error("no answer within {after:?}")]
    Timeout { after: Duration },
}

/// Requests a path that the program itself answers, as PHP-FPM does for its status page: it is both `SCRIPT_NAME` and
/// `SCRIPT_FILENAME`. Returns status and body.
///
/// # Errors
/// Why there is no answer in time.
pub async fn ask_fastcgi(
    endpoint: &Endpoint,
    path: &str,
    query: &str,
    timeout: Duration,
) -> Result<(u16, Vec<u8>), AskError> {
    match tokio::time::timeout(timeout, ask(endpoint, path, query, timeout)).await {
        Ok(answered) => answered,
        Err(_) => Err(AskError::Timeout { after: timeout }),
    }
}

async fn ask(endpoint: &Endpoint, path: &str, query: &str, timeout: Duration) -> Result<(u16, Vec<u8>), AskError> {
    let mut transport = Transport::Plain(dial(&endpoint.address, timeout).await?);
    let question = question(path, query)?;
    transport.write_all(&question).await?;
    let (mut decoder, mut stderr) = (Decoder::new(1), Stderr::default());
    let (mut bytes, mut ready) = (Vec::new(), 0);
    while !decoder.has_ended() {
        if bytes.len() >= MOST {
            return Err(AskError::Long);
        }
        if transport.read_buf(&mut bytes).await? == 0 {
            return Err(AskError::Closed);
        }
        let Unwrapped { start, ready: now, rest } = decoder.unwrap(&mut bytes, ready, &mut stderr)?;
        bytes.drain(..start);
        bytes.truncate(now + rest);
        ready = now;
    }
    if let Some(refusal) = decoder.refusal() {
        return Err(refusal.into());
    }
    bytes.truncate(ready);
    let mut response = Response::default();
    let head = parse_head(&mut response, &bytes, Some(b"GET"), true, &HeadLimits::default())?;
    bytes.drain(..head.unwrap_or_default());
    Ok((response.status, bytes))
}

fn question(path: &str, query: &str) -> Result<Vec<u8>, ParamTooLong> {
    let mut bytes = Vec::new();
    let mut request = RequestWriter::begin(&mut bytes, 1, false);
    for (name, value) in [
        ("SCRIPT_NAME", path),
        ("SCRIPT_FILENAME", path),
        ("REQUEST_URI", path),
        ("QUERY_STRING", query),
        ("REQUEST_METHOD", "GET"),
        ("SERVER_PROTOCOL", "HTTP/1.1"),
        ("GATEWAY_INTERFACE", "CGI/1.1"),
    ] {
        request.param(name.as_bytes(), value.as_bytes())?;
    }
    request.end();
    end_of_stdin(&mut bytes, 1);
    Ok(bytes)
}

#[cfg(test)]
mod tests;
