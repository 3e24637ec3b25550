//! [`prepare`]: who asks, and removal of fields by which a request could pose as another.

use std::net::IpAddr;

use unladen_cache::normalise_host;
use unladen_http1::{Field, Fields, Name, Request};
use unladen_serve_config::{Fate, Forwarded, Owned, is_plain};

use super::Site;
use super::route::Edits;
use super::routes::Routes;
use super::trust::Peer;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Who {
    /// `None` for a Unix socket.
    pub(crate) address: Option<IpAddr>,
    pub(crate) is_https: bool,
    /// It has a field that makes some applications take it for a request with another method or target: its answer must
    /// not be shared.
    pub(crate) is_disguised: bool,
    /// It may know of a change that validators do not know yet.
    pub(crate) is_author: bool,
}

/// Country of the client's address; made up for PledgeBank, so that `Vary` can name it.
pub(crate) const COUNTRY: &[u8] = b"x-geoip-country";

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
            // The application may see another request than we do.
            is_disguised = true;
        }
        let owned = Owned::find(field.name);
        match owned.map(|owned| owned.fate) {
            None => true,
            // Refusing routes check only the target.
            Some(_) if has_guards && owned.is_some_and(Owned::is_path) => false,
            // A trusted proxy's rewritten path is what its target says.
            Some(Fate::Front) if is_trusted => false,
            Some(Fate::Alone | Fate::Front) => {
                is_disguised = true;
                true
            }
            Some(Fate::Dropped | Fate::Written) => false,
        }
    });
    let scheme = if is_https { "https" } else { "http" };
    // Nobody can tell what a proxy's client has said: only what was understood goes on.
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

/// Applies a route's edits. Fields it removes or sets disguise nothing.
pub(crate) fn edit(edits: &Edits, fields: &mut Fields, who: &mut Who) {
    if who.is_disguised {
        edits.take_off(fields);
        who.is_disguised = disguises(fields).next().is_some();
    }
    edits.apply(fields);
}

/// Fields that make some applications see another method or target.
pub(crate) fn disguises(fields: &Fields) -> impl Iterator<Item = Field<'_>> {
    let is_disguise = |name: &[u8]| !is_plain(name) || Owned::find(name).is_some_and(Owned::is_disguise);
    fields.iter().filter(move |field| field.id == Name::Other && is_disguise(field.name))
}

/// Removes what `Connection` lists (RFC 9110, section 7.6.1) before anything is decided: the application does not get
/// it, so nothing may depend on it, and fields added later are spared.
fn take_off_listed(fields: &mut Fields) {
    let mut listed: Vec<Vec<u8>> = Vec::new();
    let mut upgrades = false;
    for field in fields.iter().filter(|field| field.id == Name::Connection) {
        for token in field.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            upgrades |= token.eq_ignore_ascii_case(b"upgrade");
            // Framing and sender fields cannot be removed by naming them.
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
