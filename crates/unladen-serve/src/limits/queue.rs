//! The principal type is [`Queue`]: requests that wait for the application, in front of which it stands. As many are at
//! the application at a time as it has workers; the others wait here, where they can be told apart.
//!
//! ```text
//! QueueEntry   for whom a request is sent (a Flow: a client), and who else waits for its answer
//!   │ Queue::enter
//!   ├─ a place is free: one atomic addition, nothing else
//!   └─ none is: a Ticket. It is given a Place, or a Refusal; or its client leaves
//! Place    at the application, until it is dropped: then the next one has it
//! ```
//!
//! `discipline` decides who is next, who waits no longer, and whether there is overload, without I/O and without a
//! clock; `fair` keeps a line for each client.

mod discipline;
mod fair;
mod gate;

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Duration;

use unladen_observability::Reason;

use super::crowd::network;

pub(crate) use self::gate::{Entered, Place, Queue, Ticket};

/// For whom a request is sent to the application.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueEntry<'a> {
    pub(crate) flow: Flow,
    /// Key of an answer that several may wait for; those who join lend it their turns.
    pub(crate) shared: Option<&'a [u8]>,
    /// Takes no turn: a cheap question that others' answers depend on.
    pub(crate) is_question: bool,
}

/// Most shares for one address, told apart by cookies: without a bound, made-up cookies would get any number.
const PARTS: u64 = 8;

/// What shares of the application are counted by (as in RFC 8290, section 1.3): an address (IPv6: its /64), and a part
/// of those who share it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Flow {
    /// `None` for a Unix socket.
    client: Option<IpAddr>,
    /// Among those who share an address, by cookie; 0 without one.
    part: u8,
}

impl Flow {
    /// `cookie`: value that tells apart those who share an address.
    pub(crate) fn of(client: Option<IpAddr>, cookie: Option<&[u8]>) -> Self {
        static HASHER: OnceLock<RandomState> = OnceLock::new();
        let part = |cookie| 1 + (HASHER.get_or_init(RandomState::new).hash_one(cookie) % PARTS) as u8;
        Self { client: client.map(network), part: cookie.map_or(0, part) }
    }
}

pub(crate) fn cookie<'f>(fields: &'f unladen_http1::Fields, name: &str) -> Option<&'f [u8]> {
    let lines = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"cookie"));
    let mut pairs = lines.flat_map(|field| field.value.split(|byte| *byte == b';'));
    pairs.find_map(|pair| pair.trim_ascii().strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}

/// Why a request does not go to the application, and when it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) why: Why,
    pub(crate) after: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Full,
    Timeout,
    /// There is overload, and younger ones wait.
    Overloaded,
}

impl Why {
    /// In the order of their counts.
    const ALL: [Self; 3] = [Self::Full, Self::Timeout, Self::Overloaded];

    pub(crate) fn reason(self) -> Reason {
        match self {
            Self::Full => Reason::QueueFull,
            Self::Timeout => Reason::QueueTimeout,
            Self::Overloaded => Reason::Overloaded,
        }
    }
}

#[cfg(test)]
mod tests;
