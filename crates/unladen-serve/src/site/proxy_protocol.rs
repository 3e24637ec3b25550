//! Reads what a proxy says of a connection at its very beginning, before TLS: the PROXY protocol of HAProxy, versions 1
//! and 2.
//!
//! Only from those who are trusted, and then it has to be there. No byte more than it is taken from the socket.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::ready;

use ppp::{v1, v2};
use tokio::io::{AsyncRead, ReadBuf};
use unladen_pool::Socket;

/// What both versions have at least: `PROXY UNKNOWN\r\n` has 15 bytes, version 2 16.
const LEAST: usize = 12;
/// The longest header of version 1, in bytes, its end included (section 2.1).
const LONGEST_V1: usize = 107;
/// Of version 2 up to its length.
const FIXED_V2: usize = 16;
/// The longest of version 2: what fits into one segment on any path (section 2.2), and has room for Unix sockets'
/// paths.
const LONGEST_V2: usize = 536;

/// Why a connection is closed that should have begun with PROXY.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProxyError {
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error("it does not begin with PROXY")]
    NotThere,
    #[error("it begins with PROXY, and goes on wrong: {0}")]
    V1(v1::ParseError),
    #[error("it begins with PROXY of version 2, and goes on wrong: {0}")]
    V2(v2::ParseError),
    #[error("it begins with PROXY of more than {LONGEST_V2} bytes")]
    TooLong,
    #[error("it begins with PROXY for datagrams")]
    Datagrams,
}

/// From whom the connection is. None: from the proxy itself (`LOCAL`, such as its health checks), or it does not know
/// (`UNKNOWN`, or a Unix socket). The caller bounds the time.
///
/// # Errors
/// If it is not there, or is wrong: the connection is then to be closed, as what follows could be anything.
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

/// As many as there is room for.
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

/// Takes what has come, up to a line's end: how much that is.
async fn until_line_end(socket: &mut Socket, into: &mut [u8]) -> Result<usize, ProxyError> {
    let count = match socket {
        Socket::Tcp(stream) => {
            let seen = stream.peek(into).await?;
            into[..seen].iter().position(|byte| *byte == b'\n').map_or(seen, |at| at + 1)
        }
        // tokio cannot look ahead on these; there are few, and no more than a hundred bytes.
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
    // What is behind a `\r` within the line is not looked at by the parser, and it takes ` \n` for an end (section 2.1 has
    // `\r\n` alone).
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
