//! Decodes events of the kernel's part. The principal type is [`Decoder`]. Malformed bytes never panic: they make no
//! event, and count as lost.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use nix::libc;
use unladen_trace::{Event, Language, LockCall, Object, Peer, Socket, Way, What};

use crate::trace::calls::{self, Call, Opens, Reads, kind};

/// `enum object_kind` in bpf/record.h.
const OBJECT_FILE: u8 = 1;
const OBJECT_SOCKET: u8 = 2;
const OBJECT_PIPE: u8 = 3;

/// `OWN_NAME` in bpf/record.h.
const OWN_NAME: u8 = 1;

/// Result of `sqlite3_step` for a row.
const SQLITE_ROW: i64 = 100;

/// The tracer's own group while it calibrates.
pub(super) const NOBODY: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Decoder {
    calls: HashMap<u16, Call>,
    pub(super) listening: HashSet<u16>,
}

impl Decoder {
    pub(super) fn new() -> Self {
        let calls = calls::all().filter_map(|call| Some((u16::try_from(call.number).ok()?, *call))).collect();
        Self { calls, listening: HashSet::new() }
    }

    pub(super) fn event(&self, bytes: &[u8]) -> Option<Event> {
        let raw = Raw::read(bytes)?;
        let what = self.what(&raw)?;
        Some(Event { at_ns: raw.at_ns, pid: raw.pid, tid: raw.tid, group: raw.group, what })
    }

    fn what(&self, raw: &Raw<'_>) -> Option<What> {
        let took_ns = raw.took_ns;
        Some(match raw.kind {
            kind::PATH => self.file(raw)?,
            kind::TRANSFER => {
                let Reads::Transfer { out, .. } = self.calls.get(&raw.number)?.reads else { return None };
                let way = if out { Way::Out } else { Way::In };
                let (object, payload) = (self.object(raw), raw.second.to_vec());
                What::Transfer { way, fd: raw.fd(0), object, result: raw.result, payload, took_ns }
            }
            kind::CONNECT => What::Connect { fd: raw.fd(0), socket: self.socket(raw), result: raw.errno_or(), took_ns },
            kind::ESTABLISHED => What::Established { socket: self.socket(raw), took_ns },
            kind::CLOSE => {
                let socket = (raw.object.kind == OBJECT_SOCKET).then(|| self.socket(raw));
                What::Close { fd: raw.fd(0), socket }
            }
            kind::LOCK => self.lock(raw)?,
            kind::SLEEP => What::Sleep { took_ns },
            kind::FORK => What::Fork { child: u32::try_from(raw.result).ok()? },
            kind::EXEC => What::Exec { path: raw.first.to_vec() },
            kind::EXIT => What::Exit { cpu_ns: u64::try_from(raw.result).ok()? },
            kind::COMPILE => {
                let language = if raw.number == 0 { Language::Php } else { Language::Perl };
                let path = (!raw.first.is_empty()).then(|| raw.first.to_vec());
                What::Compile { language, path, took_ns, nested: raw.result != 0 }
            }
            kind::PREPARE => What::SqlitePrepare { statement: raw.arguments[0], sql: raw.second.to_vec(), took_ns },
            kind::STEP => What::SqliteStep { statement: raw.arguments[0], row: raw.result == SQLITE_ROW, took_ns },
            kind::RESET => What::SqliteReset { statement: raw.arguments[0] },
            kind::ROWS => What::Rows { socket: self.socket(raw), rows: u64::try_from(raw.result).ok()? },
            _ => return None,
        })
    }

    fn file(&self, raw: &Raw<'_>) -> Option<What> {
        let Reads::Path { call, path, target, folder } = self.calls.get(&raw.number)?.reads else { return None };
        let call = match call {
            Opens::Always(call) => call,
            Opens::ByFlags(argument) => calls::open_kind(*raw.arguments.get(usize::from(argument))?),
            Opens::ByFlagsBehind => calls::open_kind(raw.arguments[2]),
        };
        // A descriptor alone is the folder itself.
        let path = if path.is_some() { raw.first.to_vec() } else { b".".to_vec() };
        let folder = folder
            .map(|argument| raw.fd(usize::from(argument)))
            .filter(|&fd| fd != libc::AT_FDCWD && !path.starts_with(b"/"));
        let target = target.is_some().then(|| raw.second.to_vec());
        Some(What::File { call, path, target, folder, result: raw.errno_or(), took_ns: raw.took_ns })
    }

    fn lock(&self, raw: &Raw<'_>) -> Option<What> {
        let (call, unlock) = match self.calls.get(&raw.number)?.reads {
            Reads::Flock => (LockCall::Flock, raw.fd(1) & libc::LOCK_UN != 0),
            // The kernel's part put l_type in the place of its structure's address.
            Reads::Fcntl => (LockCall::Fcntl, raw.fd(2) == libc::F_UNLCK),
            _ => return None,
        };
        let (name, result) = (raw.first.to_vec(), raw.errno_or());
        Some(What::Lock { call, fd: raw.fd(0), name, unlock, result, took_ns: raw.took_ns })
    }

    fn object(&self, raw: &Raw<'_>) -> Object {
        match raw.object.kind {
            OBJECT_FILE => Object::File(raw.first.to_vec()),
            OBJECT_SOCKET => Object::Socket(self.socket(raw)),
            OBJECT_PIPE => Object::Pipe,
            _ => Object::Other,
        }
    }

    fn socket(&self, raw: &Raw<'_>) -> Socket {
        let object = &raw.object;
        let datagram = i32::from(object.socket_type) == libc::SOCK_DGRAM;
        let [a, b, c, d, ..] = object.peer;
        let (peer, accepted) = match i32::from(object.family) {
            libc::AF_INET => {
                (self.ip(Ipv4Addr::new(a, b, c, d).into(), object), self.listening.contains(&object.own_port))
            }
            libc::AF_INET6 => {
                (self.ip(Ipv6Addr::from(object.peer).to_canonical(), object), self.listening.contains(&object.own_port))
            }
            // An accepted connection has the name of the listening socket; an outgoing one seldom has any.
            libc::AF_UNIX => (unix_peer(raw.first), object.flags & OWN_NAME != 0 && raw.first.is_empty()),
            _ => (Peer::Unknown, false),
        };
        Socket { id: object.id, datagram, accepted: accepted && !datagram, peer }
    }

    fn ip(&self, address: IpAddr, object: &RawObject) -> Peer {
        if object.peer_port == 0 && address.is_unspecified() {
            return Peer::Unknown;
        }
        Peer::Ip(SocketAddr::new(address, object.peer_port))
    }
}

/// `sun_path`: a path ends with a zero; an abstract name begins with one.
fn unix_peer(path: &[u8]) -> Peer {
    Peer::Unix(match path.split_first() {
        Some((0, name)) if !name.is_empty() => [b"@", name].concat(),
        _ => path.split(|&byte| byte == 0).next().unwrap_or_default().to_vec(),
    })
}

/// `struct record` in bpf/record.h, and what follows it.
#[derive(Debug, Clone, Copy)]
struct Raw<'a> {
    at_ns: u64,
    took_ns: u64,
    result: i64,
    arguments: [u64; 6],
    pid: u32,
    tid: u32,
    group: u32,
    kind: u8,
    number: u16,
    object: RawObject,
    first: &'a [u8],
    second: &'a [u8],
}

/// `struct object`.
#[derive(Debug, Clone, Copy)]
struct RawObject {
    id: u64,
    kind: u8,
    family: u8,
    socket_type: u8,
    flags: u8,
    peer_port: u16,
    own_port: u16,
    peer: [u8; 16],
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_ne_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_ne_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_ne_bytes)
    }
}

impl<'a> Raw<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        let (at_ns, took_ns) = (bytes.u64()?, bytes.u64()?);
        let result = bytes.u64()?.cast_signed();
        let mut arguments = [0; 6];
        for argument in &mut arguments {
            *argument = bytes.u64()?;
        }
        let (pid, tid, group) = (bytes.u32()?, bytes.u32()?, bytes.u32()?);
        let (kind, number) = (u8::try_from(bytes.u16()?).ok()?, bytes.u16()?);
        let object = RawObject {
            id: bytes.u64()?,
            kind: bytes.u8()?,
            family: bytes.u8()?,
            socket_type: bytes.u8()?,
            flags: bytes.u8()?,
            peer_port: bytes.u16().map(u16::from_be)?,
            own_port: bytes.u16()?,
            peer: bytes.take()?,
        };
        let (first, second) = (usize::from(bytes.u16()?), usize::from(bytes.u16()?));
        bytes.u32()?;
        let (first, second) = (bytes.slice(first)?, bytes.slice(second)?);
        Some(Self { at_ns, took_ns, result, arguments, pid, tid, group, kind, number, object, first, second })
    }

    fn errno_or(&self) -> i32 {
        i32::try_from(self.result).unwrap_or(i32::MAX)
    }

    fn fd(&self, argument: usize) -> i32 {
        // The kernel uses the lower half only.
        self.arguments.get(argument).map_or(-1, |&fd| fd as u32 as i32)
    }
}

#[cfg(test)]
mod tests;
