//! Decodes events of the kernel's part. The principal type is [`Decoder`]. Malformed bytes never panic: they make no
//! event, and count as lost.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use nix::libc;
use unladen_trace::{Event, Language, LockCall, Object, Peer, Socket, Way, What};

use super::calls::{self, Call, Opens, Reads};
use super::kind;

mod raw;

use raw::{Raw, RawObject};

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

#[cfg(test)]
mod tests;
