//! [`OWNED`]: request fields that a site takes from its clients, since an application believes them of whoever stands
//! in front of it. docs/reference/serve.md has this list.

use unladen_http1::{Field, Name};

/// A field of requests, or with `*` at its end all that begin so.
#[derive(Clone, Copy, Debug)]
pub struct Owned {
    /// In lower case.
    pub name: &'static str,
    /// What becomes of it.
    pub fate: Fate,
    /// What an application takes it for.
    pub about: &'static str,
}

/// What becomes of a client's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is taken off.
    Dropped,
    /// It is taken off, and what is known is said in its place where the settings have it said.
    Written,
    /// It goes on, but the request is neither answered from memory nor is its answer kept.
    Alone,
    /// The same from a client; from a trusted proxy it is taken off. Proxies add it to what they pass on.
    Front,
}

const fn owned(name: &'static str, fate: Fate, about: &'static str) -> Owned {
    Owned { name, fate, about }
}

const WHO: &str = "the client's address";
const NEXT: &str = "what parts of Next.js tell each other: the path, and what has been checked";
const OTHER: &str = "another method, target or host than the request's";

/// All of them. The first that fits counts.
const OWNED: &[Owned] = &[
    owned("x-forwarded-for", Fate::Written, WHO),
    owned("x-forwarded-host", Fate::Written, "the host"),
    owned("x-forwarded-proto", Fate::Written, "the scheme"),
    owned("x-forwarded-*", Fate::Dropped, "port, prefix, scheme and the like"),
    owned("forwarded", Fate::Written, "all of these (RFC 7239)"),
    owned("x-geoip-country", Fate::Written, "the client's country"),
    owned("x-real-ip", Fate::Dropped, WHO),
    owned("x-real-port", Fate::Dropped, "the client's port"),
    owned("client-ip", Fate::Dropped, WHO),
    owned("x-client-ip", Fate::Dropped, WHO),
    owned("true-client-ip", Fate::Dropped, WHO),
    owned("x-true-client-ip", Fate::Dropped, WHO),
    owned("x-cluster-client-ip", Fate::Dropped, WHO),
    owned("fastly-client-ip", Fate::Dropped, WHO),
    owned("x-azure-clientip", Fate::Dropped, WHO),
    owned("x-appengine-user-ip", Fate::Dropped, WHO),
    owned("x-envoy-external-address", Fate::Dropped, WHO),
    owned("x-originating-ip", Fate::Dropped, WHO),
    owned("x-original-for", Fate::Dropped, WHO),
    owned("x-original-proto", Fate::Dropped, "the scheme"),
    owned("x-remote-ip", Fate::Dropped, WHO),
    owned("x-remote-addr", Fate::Dropped, WHO),
    owned("x-proxyuser-ip", Fate::Dropped, WHO),
    owned("proxy-client-ip", Fate::Dropped, WHO),
    owned("wl-proxy-client-ip", Fate::Dropped, WHO),
    owned("wl-proxy-ssl", Fate::Dropped, "the scheme"),
    owned("cf-connecting-ip", Fate::Dropped, WHO),
    owned("cf-connecting-ipv6", Fate::Dropped, WHO),
    owned("cf-pseudo-ipv4", Fate::Dropped, WHO),
    owned("cf-ipcountry", Fate::Dropped, "the client's country"),
    owned("cf-visitor", Fate::Dropped, "the scheme"),
    owned("cloudfront-viewer-address", Fate::Dropped, WHO),
    owned("cloudfront-viewer-country", Fate::Dropped, "the client's country"),
    owned("cloudfront-forwarded-proto", Fate::Dropped, "the scheme"),
    owned("front-end-https", Fate::Dropped, "the scheme"),
    owned("proxy", Fate::Dropped, "`HTTP_PROXY` of CGI programs: where their own calls go (httpoxy)"),
    owned("x-sendfile-type", Fate::Dropped, "how files are handed over to the server in front"),
    owned("x-accel-mapping", Fate::Dropped, "where files are that are handed over"),
    owned("x-unladen-*", Fate::Dropped, "what `unladen serve` says"),
    owned("x-middleware-*", Fate::Dropped, NEXT),
    owned("x-invoke-*", Fate::Dropped, NEXT),
    owned("x-matched-path", Fate::Dropped, NEXT),
    owned("x-now-route-matches", Fate::Dropped, NEXT),
    owned("x-http-method-override", Fate::Alone, OTHER),
    owned("x-http-method", Fate::Alone, OTHER),
    owned("x-method-override", Fate::Alone, OTHER),
    owned("x-original-url", Fate::Front, OTHER),
    owned("x-original-uri", Fate::Front, OTHER),
    owned("x-original-method", Fate::Front, OTHER),
    owned("x-original-host", Fate::Front, OTHER),
    owned("x-rewrite-url", Fate::Front, OTHER),
    owned("x-host", Fate::Front, OTHER),
    owned("x-http-host-override", Fate::Alone, OTHER),
    owned("x-http-destinationurl", Fate::Alone, OTHER),
    owned("x-proxy-url", Fate::Alone, OTHER),
    owned("x-wap-profile", Fate::Alone, "another version of the page"),
    owned("x-forwarded", Fate::Front, "all of what `Forwarded` says"),
    owned("x-scheme", Fate::Front, "the scheme"),
    owned("x-url-scheme", Fate::Front, "the scheme"),
];

/// Longer names are looked up as ones of this length.
const LONGEST: usize = 63;

/// For each first letter, the lengths that a name which is owned may have.
static LENGTHS: [u64; 26] = lengths();

const fn lengths() -> [u64; 26] {
    let mut lengths = [0; 26];
    let mut at = 0;
    while at < OWNED.len() {
        let name = OWNED[at].name.as_bytes();
        let first = (name[0] - b'a') as usize;
        lengths[first] |= match name[name.len() - 1] {
            b'*' => u64::MAX << (name.len() - 1),
            _ => 1 << name.len(),
        };
        at += 1;
    }
    lengths
}

impl Owned {
    /// The one that a field is, as CGI and its kin see names: in any case, and any mark as `-`; Apache and PHP take
    /// others than `_` for one, too.
    pub fn find(name: &[u8]) -> Option<&'static Self> {
        // Of most, nothing has both the first letter and the length.
        let first = name.first()?.to_ascii_lowercase().checked_sub(b'a')?;
        let lengths = *LENGTHS.get(usize::from(first))?;
        if lengths >> name.len().min(LONGEST) & 1 == 0 {
            return None;
        }
        OWNED.iter().find(|owned| owned.is(name))
    }

    /// Whether some applications take a request with this field for another request.
    pub fn is_disguise(&self) -> bool {
        matches!(self.fate, Fate::Alone | Fate::Front)
    }

    /// Whether some applications take a request with this field for one of another path.
    pub fn is_path(&self) -> bool {
        self.is_disguise() && (self.name.ends_with("url") || self.name.ends_with("uri"))
    }

    /// Whether some applications take a request with this field for one of another method.
    pub fn is_method(&self) -> bool {
        self.is_disguise() && self.name.contains("method")
    }

    fn is(&self, name: &[u8]) -> bool {
        match self.name.strip_suffix('*') {
            Some(start) => begins(name, start.as_bytes()),
            None => name.len() == self.name.len() && begins(name, self.name.as_bytes()),
        }
    }
}

fn begins(name: &[u8], known: &[u8]) -> bool {
    let as_known = |byte: u8| if byte.is_ascii_alphanumeric() { byte.to_ascii_lowercase() } else { b'-' };
    name.len() >= known.len() && name.iter().zip(known).all(|(byte, known)| as_known(*byte) == *known)
}

/// Whether a name is one that no two programs read in two ways: letters, digits and hyphens. CGI, FastCGI and WSGI
/// write a hyphen and an underscore alike, and some of them any other mark: `Accept_Language` would be
/// `Accept-Language` to the application, and nothing here.
pub fn is_plain(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// Whether a client's trailer goes on: those that a head would lose are lost here too. `underscores`: names with other
/// marks go on.
pub fn may_trail(field: &Field<'_>, underscores: bool) -> bool {
    field.id != Name::Other || ((underscores || is_plain(field.name)) && Owned::find(field.name).is_none())
}

/// What `unladen serve` alone says: an answer that has it is its own, so an upstream's must not.
pub fn is_said_by_us(name: &[u8]) -> bool {
    matches!(name.first(), Some(b'x' | b'X')) && begins(name, b"x-unladen-")
}

#[cfg(test)]
mod tests;
