//! [`prepare`]: who asks, and what becomes of the fields by which a request could say that it were another.

use std::net::IpAddr;

use unladen_http1::{Field, Name, Request};

use super::{Front, Peer};

/// For whom a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Who {
    /// None: it came through a Unix socket.
    pub(crate) address: Option<IpAddr>,
    pub(crate) is_https: bool,
    /// It has a field by which some applications take a request for another than its method and target say: what they answer is not
    /// what others asked for.
    pub(crate) is_disguised: bool,
}

/// Fields by which some applications take a request for another than its method, target and host say.
const DISGUISES: [&[u8]; 9] = [
    b"x-http-method-override",
    b"x-http-method",
    b"x-method-override",
    b"x-original-url",
    b"x-original-host",
    b"x-rewrite-url",
    b"x-host",
    b"x-http-host-override",
    b"x-wap-profile",
];

/// The country of the client's address; made up for PledgeBank, so that `Vary` can name it.
pub(crate) const COUNTRY: &[u8] = b"x-geoip-country";

/// Takes off what is not believed, and says what is known instead.
pub(crate) fn prepare(front: &Front, request: &mut Request, peer: &Peer) -> Who {
    let trust = &front.trust;
    let is_trusted = peer.address.is_some_and(|address| trust.is_trusted(address));
    let (address, is_https) = if is_trusted {
        (trust.client(&request.fields, peer.address), trust.is_https(&request.fields).unwrap_or(peer.is_https))
    } else {
        (peer.address, peer.is_https)
    };
    let mut is_disguised = false;
    request.fields.retain(|field| {
        if field.id == Name::Other {
            // Most begin with another letter.
            if !matches!(field.name.first(), Some(b'x' | b'X')) {
                return true;
            }
            is_disguised |= DISGUISES.iter().any(|disguise| is(field.name, disguise));
            return !is(field.name, COUNTRY) && (is_trusted || !begins(field.name, b"x-forwarded-"));
        }
        is_trusted || !is_forwarding(&field)
    });
    if !is_trusted || request.fields.get(Name::XForwardedProto).is_none() {
        request.fields.push(b"x-forwarded-proto", if is_https { b"https" } else { b"http" });
    }
    if let Some(country) = &front.country {
        let country = address.map_or(super::UNKNOWN, |address| country.lookup(address));
        request.fields.push(COUNTRY, country.as_bytes());
    }
    Who { address, is_https, is_disguised }
}

fn is_forwarding(field: &Field<'_>) -> bool {
    matches!(field.id, Name::Forwarded | Name::XForwardedFor | Name::XForwardedHost | Name::XForwardedProto)
}

/// As CGI and its kin see names: in any case, and `_` as `-`.
fn is(name: &[u8], known: &[u8]) -> bool {
    name.len() == known.len() && begins(name, known)
}

fn begins(name: &[u8], known: &[u8]) -> bool {
    let as_known = |byte: u8| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    name.len() >= known.len() && name.iter().zip(known).all(|(byte, known)| as_known(*byte) == *known)
}
