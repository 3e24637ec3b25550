//! The principal type is [`Reply`]: a bounded reply of Valkey, by its protocol (RESP2).
//!
//! The well-known client libraries read whatever length an engine announces. Write access to the engine could exhaust
//! the memory of all nodes of a fleet; so this parses replies itself, each within [`Bounds`].

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};
use unladen_tls::TlsFault;

use crate::BusError;
use crate::error::{Handshake, plain};

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
    let rest = std::str::from_utf8(rest).map_err(|_| broken("a line that is not text"))?;
    Ok(match kind {
        b'+' => Head::Whole(Reply::Status(rest.to_owned())),
        b'-' => Head::Whole(Reply::Error(rest.to_owned())),
        b':' => Head::Whole(Reply::Integer(rest.parse().map_err(|_| broken("an invalid number"))?)),
        b'$' | b'*' if rest == "-1" => Head::Whole(Reply::Nil),
        b'$' => Head::Whole(Reply::Bulk(bulk(from, length(rest)?, bounds).await?)),
        b'*' => {
            let count = length(rest)?;
            if count > bounds.elements {
                return Err(broken("a list that is too long"));
            }
            Head::Array(count)
        }
        _ => return Err(broken("an unknown kind of reply: is it Valkey or Redis that listens there?")),
    })
}

async fn line(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Vec<u8>, BusError> {
    let mut line = Vec::new();
    let mut within = from.take(LINE as u64);
    within.read_until(b'\n', &mut line).await.map_err(|error| unreachable(&error))?;
    match line.strip_suffix(b"\r\n") {
        Some(whole) => Ok(whole.to_vec()),
        None if line.len() >= LINE => Err(broken("a line that is too long")),
        None if line.ends_with(b"\n") => Err(broken("a line with a wrong ending")),
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
        return Err(broken("a string with a wrong end"));
    }
    bytes.truncate(length);
    Ok(bytes)
}

fn length(text: &str) -> Result<usize, BusError> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain).ok_or_else(|| broken("an invalid length"))
}

fn broken(what: &str) -> BusError {
    BusError::Answer(what.to_owned())
}

pub(super) fn unreachable(error: &io::Error) -> BusError {
    // With TLS 1.3, a refusal of our certificate comes with the first answer.
    if let Some(fault @ (TlsFault::WantsClientCertificate | TlsFault::RefusesClientCertificate(_))) =
        TlsFault::after(error)
    {
        return BusError::Refused(format!("TLS: {fault}, but none is sent: {}", HANDSHAKE.certificate));
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
            _ => Err(broken("something other than a string")),
        }
    }
}

/// Permissions of its user, as in docs/reference/fleet.md.
const PERMISSIONS: &str = "+eval +info +xread +xadd +xrange +hget +hset +hdel +del +time +zadd +zscore +zrem \
     +zrangebyscore +select";

pub(super) fn hint(error: &str) -> String {
    let error = plain(error);
    match advice(&error) {
        Some(does) => format!("{error} ({does})"),
        None => error,
    }
}

/// Advice for an error of AUTH. Repeats only known words: an engine that does not know the command quotes its
/// arguments, which are the password, or its beginning.
pub(super) fn refused_auth(error: &str) -> String {
    const KNOWN: [&str; 9] =
        ["ERR", "NOAUTH", "WRONGPASS", "NOPERM", "READONLY", "OOM", "LOADING", "MOVED", "MASTERDOWN"];
    let said = KNOWN.into_iter().find(|known| error.split(' ').next() == Some(known)).unwrap_or("with other words");
    let does = advice(said).unwrap_or_else(|| {
        "either it has no such user or needs no password, or AUTH is renamed or not allowed there: try the URL \
         without user and password"
            .to_owned()
    });
    format!("AUTH: {said} ({does})")
}

pub(super) const HANDSHAKE: Handshake = Handshake {
    authority: "set `ca` to the file of its authority",
    name: "use such a name in the URL, or set `ca` to a file with exactly this certificate",
    plain: "use `valkey://`, or its TLS port",
    certificate: "set `tls-auth-clients no` there",
};

/// An engine that takes a TLS handshake for the beginning of a command waits for its end, as do Valkey and Redis
/// without TLS.
pub(super) fn silent(at: &str) -> BusError {
    BusError::Unreachable(format!(
        "{at}: no answer to the TLS handshake: if it does not speak TLS there, {}",
        HANDSHAKE.plain
    ))
}

/// Error of the first command. `is_plain`: it was sent without TLS.
pub(super) fn closed(error: BusError, is_plain: bool) -> BusError {
    match error {
        BusError::Unreachable(words) if is_plain => {
            BusError::Unreachable(format!("{words} (if it speaks TLS there, write `valkeys://`)"))
        }
        other => other,
    }
}

fn advice(error: &str) -> Option<String> {
    let word = match error.split(' ').next().unwrap_or_default() {
        // For a command within a script, from Valkey …
        _ if error.contains("ACL failure in script") => "NOPERM",
        // … and from Redis.
        _ if error.contains("can't run this command") || error.contains("can't access at least one of the keys") => {
            "NOPERM"
        }
        word => word,
    };
    Some(match word {
        "NOAUTH" | "WRONGPASS" => "add user and password to the URL: `valkey://user:password@host`".to_owned(),
        "NOPERM" => {
            format!("the user needs: {PERMISSIONS}, and ~unladen:*; for validators that share answers, also +get +set")
        }
        "READONLY" => "it is a replica: use the address of the primary".to_owned(),
        "OOM" => "its memory is full: raise maxmemory, or lower `keep`".to_owned(),
        "NOREPLICAS" => "it has fewer replicas than min-replicas-to-write wants".to_owned(),
        "WRONGTYPE" => "something else uses keys that begin with `unladen:`: remove them, or use another database or \
             another `name` for the fleet"
            .to_owned(),
        "LOADING" => "it is loading its data, and will be available soon".to_owned(),
        "MOVED" => "another node of the cluster has this fleet's keys: use its address".to_owned(),
        "ASK" | "TRYAGAIN" | "CLUSTERDOWN" => "the cluster is moving this fleet's keys, or is incomplete".to_owned(),
        _ if error.contains("SELECT is not allowed in cluster") => "a cluster has only the database `/0`".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
