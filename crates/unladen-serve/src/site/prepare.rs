//! [`prepare`]: who asks, and what becomes of the fields by which a request could say that it were another.

use std::net::IpAddr;

use unladen_cache::normalise_host;
use unladen_http1::{Field, Fields, Name, Request};
use unladen_serve_config::{Fate, Forwarded, Owned, is_plain};

use super::Site;
use super::edits::Edits;
use super::routes::Routes;
use crate::peer::Peer;

/// For whom a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Who {
    /// None: it came through a Unix socket.
    pub(crate) address: Option<IpAddr>,
    pub(crate) is_https: bool,
    /// It has a field by which some applications take a request for another than its method and target say: what they
    /// answer is not what others asked for.
    pub(crate) is_disguised: bool,
    /// It has just changed something: it may know what validators may not know yet.
    pub(crate) is_author: bool,
}

/// The country of the client's address; made up for PledgeBank, so that `Vary` can name it.
pub(crate) const COUNTRY: &[u8] = b"x-geoip-country";

/// Takes off what is not believed, and says what is known instead.
pub(crate) fn prepare(site: &Site, request: &mut Request, peer: &Peer) -> Who {
    let trust = &site.trust;
    let is_trusted = trust.is_trusted_peer(peer.address);
    let (address, is_https) = if is_trusted {
        let asker = trust.asker(&request.fields, peer.address);
        (asker.address, asker.is_https.unwrap_or(peer.is_https))
    } else {
        (peer.address, peer.is_https)
    };
    take_off_listed(&mut request.fields);
    normalise_host(&mut request.authority, is_https);
    let underscores = site.settings.underscores;
    let has_guards = site.routes.as_ref().is_some_and(Routes::refuses);
    let mut is_disguised = false;
    request.fields.retain(|field| {
        if field.id != Name::Other {
            return !is_forwarding(&field);
        }
        if !is_plain(field.name) {
            if !underscores {
                return false;
            }
            // What it is to the application, it is not here.
            is_disguised = true;
        }
        let owned = Owned::find(field.name);
        match owned.map(|owned| owned.fate) {
            None => true,
            // Routes that refuse are held against the target alone.
            Some(_) if has_guards && owned.is_some_and(Owned::is_path) => false,
            // What a trusted proxy passes on is what its target says.
            Some(Fate::Front) if is_trusted => false,
            Some(Fate::Alone | Fate::Front) => {
                is_disguised = true;
                true
            }
            Some(Fate::Dropped | Fate::Written) => false,
        }
    });
    let scheme = if is_https { "https" } else { "http" };
    // Of what a proxy passes on nobody can tell what its client has said: only what was understood goes on.
    if let Some(asker) = address.filter(|_| is_trusted && address != peer.address) {
        match (site.proxy.settings.forwarded, asker) {
            (Forwarded::Forwarded, IpAddr::V4(asker)) => {
                request.fields.push(b"forwarded", format!("for={asker};proto={scheme}").as_bytes());
            }
            (Forwarded::Forwarded, IpAddr::V6(asker)) => {
                request.fields.push(b"forwarded", format!("for=\"[{asker}]\";proto={scheme}").as_bytes());
            }
            (_, asker) => request.fields.push(b"x-forwarded-for", asker.to_string().as_bytes()),
        }
    }
    request.fields.push_known(Name::XForwardedProto, b"x-forwarded-proto", scheme.as_bytes());
    if let Some(country) = &site.country {
        let country = address.map_or(crate::site::country::UNKNOWN, |address| country.lookup(address));
        request.fields.push(COUNTRY, country.as_bytes());
    }
    let is_author = site.author.as_ref().is_some_and(|author| author.take_off(&mut request.fields));
    Who { address, is_https, is_disguised, is_author }
}

/// Does what a route does to a request's fields. What it takes off, or says itself, disguises nothing.
pub(crate) fn edit(edits: &Edits, fields: &mut Fields, who: &mut Who) {
    if who.is_disguised {
        edits.take_off(fields);
        who.is_disguised = disguises(fields).next().is_some();
    }
    edits.apply(fields);
}

/// The fields by which some applications take a request for another than its method and target say.
pub(crate) fn disguises(fields: &Fields) -> impl Iterator<Item = Field<'_>> {
    let is_disguise = |name: &[u8]| !is_plain(name) || Owned::find(name).is_some_and(Owned::is_disguise);
    fields.iter().filter(move |field| field.id == Name::Other && is_disguise(field.name))
}

/// Takes off what `Connection` lists (RFC 9110, section 7.6.1) before anything is decided: the application is not told
/// of it, so nothing may be found by it; and what is added later is not taken off with it.
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
