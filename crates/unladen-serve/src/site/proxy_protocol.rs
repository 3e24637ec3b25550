//! Reads the PROXY protocol of HAProxy, versions 1 and 2, at the beginning of a connection, before TLS.
//!
//! Only from trusted peers, for whom it is mandatory. It takes no byte too many from the socket.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::ready;

use ppp::{v1, v2};
use tokio::io::{AsyncRead, ReadBuf};
use unladen_pool::Socket;

/// Least length of both: `PROXY UNKNOWN\r\n` has 15 bytes, version 2 16.
const LEAST: usize = 12;
/// Longest header of version 1, in bytes, with its end (section 2.1).
const LONGEST_V1: usize = 107;
/// Version 2 up to its length field.
const FIXED_V2: usize = 16;
/// Longest of version 2: fits into one segment on any path (section 2.2), with room for Unix socket paths.
const LONGEST_V2: usize = 536;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ProxyError {
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error("it does not begin with PROXY")]
    NotThere,
    #[error("it begins with PROXY, but is malformed: {0}")]
    V1(v1::ParseError),
    #[error("it begins with PROXY version 2, but is malformed: {0}")]
    V2(v2::ParseError),
    #[error("it begins with PROXY, with more than {LONGEST_V2} bytes")]
    TooLong,
    #[error("it begins with PROXY for datagrams")]
    Datagrams,
}

/// The sender; `None` if that is the proxy itself (`LOCAL`, such as its health checks), or unknown (`UNKNOWN`, or a
/// Unix socket). The caller bounds the time.
///
/// # Errors
/// If it is missing or wrong: the connection must be closed, as what follows could be anything.
pub(crate) async fn read(socket: &mut Socket) -> Result<Option<SocketAddr>, ProxyError> {
    let mut bytes = [0; LONGEST_V2];
    whole(socket, &mut bytes[..LEAST]).await?;
    if bytes.starts_with(v2::PROTOCOL_PREFIX) {
        whole(socket, &mut bytes[LEAST..FIXED_V2]).await?;
        let end = FIXED_V2 + usize::from(u16::from_be_bytes([bytes[14], bytes[15]]));
        let rest = bytes.get_mut(FIXED_V2..end).ok_or(ProxyError::TooLong)?;
        whole(socket, rest).await?;
        return version_2(&bytes[..end]);
    }
    if !bytes.starts_with(b"PROXY ") {
        return Err(ProxyError::NotThere);
    }
    let mut length = LEAST;
    while !bytes[..length].ends_with(b"\n") {
        let free = bytes.get_mut(length..LONGEST_V1).filter(|free| !free.is_empty());
        let free = free.ok_or(ProxyError::V1(v1::ParseError::HeaderTooLong))?;
        length += until_line_end(socket, free).await?;
    }
    version_1(&bytes[..length])
}

async fn whole(socket: &mut Socket, into: &mut [u8]) -> Result<(), ProxyError> {
    let mut into = ReadBuf::new(into);
    poll_fn(|cx| {
        while into.remaining() > 0 {
            let before = into.filled().len();
            ready!(Pin::new(&mut *socket).poll_read(cx, &mut into))?;
            if into.filled().len() == before {
                return std::task::Poll::Ready(Err(ProxyError::NotThere));
            }
        }
        std::task::Poll::Ready(Ok(()))
    })
    .await
}

/// Reads up to a line's end at most, and returns how many bytes.
async fn until_line_end(socket: &mut Socket, into: &mut [u8]) -> Result<usize, ProxyError> {
    let count = match socket {
        Socket::Tcp(stream) => {
            let seen = stream.peek(into).await?;
            into[..seen].iter().position(|byte| *byte == b'\n').map_or(seen, |at| at + 1)
        }
        // tokio cannot peek here; such sockets are few, and the bytes at most a hundred.
        _ => 1,
    };
    whole(socket, &mut into[..count.max(1)]).await?;
    Ok(count.max(1))
}

fn version_1(bytes: &[u8]) -> Result<Option<SocketAddr>, ProxyError> {
    let header = v1::Header::try_from(bytes).map_err(|error| match error {
        v1::BinaryParseError::Parse(error) => ProxyError::V1(error),
        v1::BinaryParseError::InvalidUtf8(_) => ProxyError::V1(v1::ParseError::InvalidProtocol),
    })?;
    // The parser ignores what follows a `\r` within the line, and takes ` \n` for an end (section 2.1 has only `\r\n`).
    if header.header.len() != bytes.len() || !bytes.ends_with(b"\r\n") {
        return Err(ProxyError::V1(v1::ParseError::InvalidSuffix));
    }
    Ok(match header.addresses {
        v1::Addresses::Tcp4(ip) => Some((ip.source_address, ip.source_port).into()),
        v1::Addresses::Tcp6(ip) => Some((ip.source_address, ip.source_port).into()),
        v1::Addresses::Unknown => None,
    })
}

fn version_2(bytes: &[u8]) -> Result<Option<SocketAddr>, ProxyError> {
    let header = v2::Header::try_from(bytes).map_err(ProxyError::V2)?;
    if header.command == v2::Command::Local {
        return Ok(None);
    }
    if header.protocol == v2::Protocol::Datagram {
        return Err(ProxyError::Datagrams);
    }
    Ok(match header.addresses {
        _ if header.protocol == v2::Protocol::Unspecified => None,
        v2::Addresses::IPv4(ip) => Some((ip.source_address, ip.source_port).into()),
        v2::Addresses::IPv6(ip) => Some((ip.source_address, ip.source_port).into()),
        v2::Addresses::Unix(_) | v2::Addresses::Unspecified => None,
    })
}

#[cfg(test)]
mod tests;
