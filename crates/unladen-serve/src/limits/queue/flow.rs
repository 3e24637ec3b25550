//! The principal type is [`Flow`]: what shares of the application are counted by (as in RFC 8290, section 1.3).

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::OnceLock;

use crate::limits::crowd::network;

/// Most shares for one address, told apart by cookies: without a bound, made-up cookies would get any number.
const PARTS: u64 = 8;

/// An address (IPv6: its /64), and a part of those who share it.
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
