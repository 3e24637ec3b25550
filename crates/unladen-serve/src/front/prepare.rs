//! [`prepare`]: who asks, and what becomes of the fields by which a request could say that it were another.

use std::net::IpAddr;

use unladen_http1::{Field, Fields, Name, Request};

use super::{Front, Peer};
use crate::settings::Forwarded;

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
const DISGUISES: [&[u8]; 12] = [
    b"x-http-method-override",
    b"x-http-method",
    b"x-method-override",
    b"x-original-url",
    b"x-original-host",
    b"x-rewrite-url",
    b"x-host",
    b"x-http-host-override",
    b"x-wap-profile",
    b"x-forwarded",
    b"x-scheme",
    b"x-url-scheme",
];

/// The country of the client's address; made up for PledgeBank, so that `Vary` can name it.
pub(crate) const COUNTRY: &[u8] = b"x-geoip-country";

/// Takes off what is not believed, and says what is known instead.
pub(crate) fn prepare(front: &Front, request: &mut Request, peer: &Peer) -> Who {
    let trust = &front.trust;
    let is_trusted = trust.is_trusted_peer(peer.address);
    let (address, is_https) = if is_trusted {
        let asker = trust.asker(&request.fields, peer.address);
        (asker.address, asker.is_https.unwrap_or(peer.is_https))
    } else {
        (peer.address, peer.is_https)
    };
    take_off_listed(&mut request.fields);
    let mut is_disguised = false;
    request.fields.retain(|field| {
        if field.id == Name::Other {
            // Most begin with another letter.
            if !matches!(field.name.first(), Some(b'x' | b'X')) {
                return true;
            }
            is_disguised |= DISGUISES.iter().any(|disguise| is(field.name, disguise));
            return !is(field.name, COUNTRY) && !begins(field.name, b"x-forwarded-");
        }
        !is_forwarding(&field)
    });
    // Of what a proxy passes on nobody can tell what its client has said: only what was understood goes on.
    if let Some(asker) = address.filter(|_| is_trusted && address != peer.address) {
        match (front.app.settings.forwarded, asker) {
            (Forwarded::Forwarded, IpAddr::V4(asker)) => {
                request.fields.push(b"forwarded", format!("for={asker}").as_bytes());
            }
            (Forwarded::Forwarded, IpAddr::V6(asker)) => {
                request.fields.push(b"forwarded", format!("for=\"[{asker}]\"").as_bytes());
            }
            (_, asker) => request.fields.push(b"x-forwarded-for", asker.to_string().as_bytes()),
        }
    }
    request.fields.push(b"x-forwarded-proto", if is_https { b"https" } else { b"http" });
    if let Some(country) = &front.country {
        let country = address.map_or(super::UNKNOWN, |address| country.lookup(address));
        request.fields.push(COUNTRY, country.as_bytes());
    }
    Who { address, is_https, is_disguised }
}

/// Takes off what `Connection` lists (RFC 9110, section 7.6.1) before anything is decided: the application is not told of it, so nothing
/// may be found by it; and what is added later is not taken off with it.
fn take_off_listed(fields: &mut Fields) {
    let mut listed: Vec<Vec<u8>> = Vec::new();
    let mut upgrades = false;
    for field in fields.iter().filter(|field| field.id == Name::Connection) {
        for token in field.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            upgrades |= token.eq_ignore_ascii_case(b"upgrade");
            // Those of which nobody can take off one by naming it are how a message is framed and who sent it.
            if !token.is_empty() && !token.eq_ignore_ascii_case(b"close") && Name::of(token) == Name::Other {
                listed.push(token.to_ascii_lowercase());
            }
        }
    }
    if listed.is_empty() {
        return;
    }
    listed.sort_unstable();
    fields.retain(|field| {
        let is_listed = || listed.binary_search(&field.name.to_ascii_lowercase()).is_ok();
        field.id != Name::Connection && (field.id != Name::Other || !is_listed())
    });
    if upgrades {
        fields.push(b"connection", b"upgrade");
    }
}

fn is_forwarding(field: &Field<'_>) -> bool {
    matches!(field.id, Name::Forwarded | Name::XForwardedFor | Name::XForwardedHost | Name::XForwardedProto)
}

/// As CGI and its kin see names: in any case, and `_` as `-`; PHP and Apache take any other mark for one, too.
fn is(name: &[u8], known: &[u8]) -> bool {
    name.len() == known.len() && begins(name, known)
}

fn begins(name: &[u8], known: &[u8]) -> bool {
    let as_known = |byte: u8| if byte.is_ascii_alphanumeric() { byte.to_ascii_lowercase() } else { b'-' };
    name.len() >= known.len() && name.iter().zip(known).all(|(byte, known)| as_known(*byte) == *known)
}
