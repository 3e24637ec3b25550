//! The principal type is [`Reply`]: a bounded reply of Valkey, by its protocol (RESP2).
//!
//! The well-known client libraries read whatever length an engine announces. Write access to the engine could exhaust
//! the memory of all nodes of a fleet; so this parses replies itself, each within [`Bounds`].

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};
use unladen_tls::TlsFault;

use super::hint::HANDSHAKE;
use crate::BusError;

/// A reply of Valkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Status(String),
    Error(String),
    Integer(i64),
    Bulk(Vec<u8>),
    Nil,
    Array(Vec<Reply>),
}

const LINE: usize = 1024;
/// Maximum bytes of a bulk string: `INFO`'s parts have some KiB, a record 20 KiB.
const BULK: usize = 64 * 1024;
/// Maximum elements of a reply: two for each of 10,000 nodes.
const ELEMENTS: usize = 20_100;
/// Maximum bytes of a reply: 500 records of 20 KiB each.
const BYTES: usize = 12 << 20;
const DEPTH: usize = 8;

struct Bounds {
    elements: usize,
    bytes: usize,
}

pub(super) async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Reply, BusError> {
    let mut bounds = Bounds { elements: ELEMENTS, bytes: BYTES };
    // Incomplete arrays, and the number of their missing elements.
    let mut open: Vec<(Vec<Reply>, usize)> = Vec::new();
    loop {
        let mut reply = match head(from, &mut bounds).await? {
            Head::Whole(reply) => reply,
            Head::Array(0) => Reply::Array(Vec::new()),
            Head::Array(count) => {
                if open.len() >= DEPTH {
                    return Err(broken("too many lists within lists"));
                }
                open.push((Vec::new(), count));
                continue;
            }
        };
        loop {
            let Some((list, lacking)) = open.last_mut() else { return Ok(reply) };
            list.push(reply);
            *lacking -= 1;
            if *lacking > 0 {
                break;
            }
            reply = Reply::Array(open.pop().map(|(list, _)| list).unwrap_or_default());
        }
    }
}

enum Head {
    Whole(Reply),
    Array(usize),
}

async fn head(from: &mut (impl AsyncBufRead + Unpin), bounds: &mut Bounds) -> Result<Head, BusError> {
    bounds.elements = bounds.elements.checked_sub(1).ok_or_else(|| broken("too many elements"))?;
    let line = line(from).await?;
    let (kind, rest) = line.split_first().ok_or_else(|| broken("an empty line"))?;
    let rest = std::str::from_utf8(rest).map_err(|_| broken("a line that is no text"))?;
    Ok(match kind {
        b'+' => Head::Whole(Reply::Status(rest.to_owned())),
        b'-' => Head::Whole(Reply::Error(rest.to_owned())),
        b':' => Head::Whole(Reply::Integer(rest.parse().map_err(|_| broken("a number that is none"))?)),
        b'$' | b'*' if rest == "-1" => Head::Whole(Reply::Nil),
        b'$' => Head::Whole(Reply::Bulk(bulk(from, length(rest)?, bounds).await?)),
        b'*' => {
            let count = length(rest)?;
            if count > bounds.elements {
                return Err(broken("a list that is too long"));
            }
            Head::Array(count)
        }
        _ => return Err(broken("a reply of no known kind: is it Valkey or Redis that listens there?")),
    })
}

async fn line(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Vec<u8>, BusError> {
    let mut line = Vec::new();
    let mut within = from.take(LINE as u64);
    within.read_until(b'\n', &mut line).await.map_err(|error| unreachable(&error))?;
    match line.strip_suffix(b"\r\n") {
        Some(whole) => Ok(whole.to_vec()),
        None if line.len() >= LINE => Err(broken("a line that is too long")),
        None if line.ends_with(b"\n") => Err(broken("a line that ends oddly")),
        None => Err(unreachable(&io::ErrorKind::UnexpectedEof.into())),
    }
}

async fn bulk(from: &mut (impl AsyncBufRead + Unpin), length: usize, bounds: &mut Bounds) -> Result<Vec<u8>, BusError> {
    bounds.bytes = bounds.bytes.checked_sub(length).ok_or_else(|| broken("too many bytes"))?;
    if length > BULK {
        return Err(broken("a string that is too long"));
    }
    let mut bytes = vec![0; length + 2];
    from.read_exact(&mut bytes).await.map_err(|error| unreachable(&error))?;
    if !bytes.ends_with(b"\r\n") {
        return Err(broken("a string that does not end where it should"));
    }
    bytes.truncate(length);
    Ok(bytes)
}

fn length(text: &str) -> Result<usize, BusError> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain).ok_or_else(|| broken("a length that is none"))
}

fn broken(what: &str) -> BusError {
    BusError::Answer(what.to_owned())
}

pub(super) fn unreachable(error: &io::Error) -> BusError {
    // With TLS 1.3, a refusal of our certificate comes with the first answer.
    if let Some(fault @ (TlsFault::WantsClientCertificate | TlsFault::RefusesClientCertificate(_))) =
        TlsFault::after(error)
    {
        return BusError::Refused(format!("TLS: {fault}, and none is sent: {}", HANDSHAKE.certificate));
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => BusError::Unreachable("the connection was closed".to_owned()),
        _ => BusError::Unreachable(error.to_string()),
    }
}

pub(super) fn write(command: &[&[u8]], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("*{}\r\n", command.len()).as_bytes());
    for part in command {
        out.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        out.extend_from_slice(part);
        out.extend_from_slice(b"\r\n");
    }
}

/// Whether these bytes begin with a complete reply: for fuzzing.
pub fn resp_is_readable(mut bytes: &[u8]) -> bool {
    let mut reading = std::pin::pin!(read(&mut bytes));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    // Bytes in memory never block.
    matches!(reading.as_mut().poll(&mut context), std::task::Poll::Ready(Ok(_)))
}

impl Reply {
    pub(super) fn bytes(&self) -> Result<&[u8], BusError> {
        match self {
            Self::Bulk(bytes) => Ok(bytes),
            Self::Status(text) => Ok(text.as_bytes()),
            _ => Err(broken("something else than a string")),
        }
    }
}

#[cfg(test)]
mod tests;
