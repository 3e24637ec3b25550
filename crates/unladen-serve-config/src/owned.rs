//! [`OWNED`]: request fields that a site takes from its clients, since applications believe them from whatever stands
//! in front. docs/reference/serve.md has this list.

use unladen_http1::{Field, Name};

/// A request field, or with `*` at its end all with this prefix.
#[derive(Clone, Copy, Debug)]
pub struct Owned {
    /// In lower case.
    pub name: &'static str,
    pub fate: Fate,
    /// What an application uses it for.
    pub about: &'static str,
}

/// What happens to a client's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is removed.
    Dropped,
    /// It is removed, and replaced by what is known, if the settings say so.
    Written,
    /// It is passed on, but the request bypasses the cache.
    Alone,
    /// As `Alone` from a client; from a trusted proxy it is removed. Proxies add it to what they pass on.
    Front,
}

const fn owned(name: &'static str, fate: Fate, about: &'static str) -> Owned {
    Owned { name, fate, about }
}

const WHO: &str = "the client's address";
const NEXT: &str = "internal messages of Next.js: the path, and what has been checked";
const OTHER: &str = "a method, target or host other than the request's";

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
    owned("x-sendfile-type", Fate::Dropped, "how files are passed to the server in front"),
    owned("x-accel-mapping", Fate::Dropped, "where the passed files are"),
    owned("x-unladen-*", Fate::Dropped, "fields of `unladen serve`"),
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
    owned("x-forwarded", Fate::Front, "everything in `Forwarded`"),
    owned("x-scheme", Fate::Front, "the scheme"),
    owned("x-url-scheme", Fate::Front, "the scheme"),
];

/// Longer names are looked up as if they had this length.
const LONGEST: usize = 63;

/// For each first letter, a bit set of the lengths of owned names.
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
    /// The owned field of a name, read as CGI and its kin do: in any case, with any mark as `-`; Apache and PHP replace
    /// others than `_`, too.
    pub fn find(name: &[u8]) -> Option<&'static Self> {
        // Most names match none by first letter and length.
        let first = name.first()?.to_ascii_lowercase().checked_sub(b'a')?;
        let lengths = *LENGTHS.get(usize::from(first))?;
        if lengths >> name.len().min(LONGEST) & 1 == 0 {
            return None;
        }
        OWNED.iter().find(|owned| owned.is(name))
    }

    /// Whether some applications take a request with this field for a different one.
    pub fn is_disguise(&self) -> bool {
        matches!(self.fate, Fate::Alone | Fate::Front)
    }

    /// Whether some applications read another path from this field.
    pub fn is_path(&self) -> bool {
        self.is_disguise() && (self.name.ends_with("url") || self.name.ends_with("uri"))
    }

    /// Whether some applications read another method from this field.
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

/// Whether all programs read a name alike: letters, digits and hyphens. CGI, FastCGI and WSGI treat hyphen and
/// underscore alike, and some of them any other mark: `Accept_Language` would be `Accept-Language` to the application,
/// but not here.
pub fn is_plain(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// Whether a client's trailer is passed on: not if a head's field would be removed. With `underscores`, names with
/// other marks are passed on.
pub fn may_trail(field: &Field<'_>, underscores: bool) -> bool {
    field.id != Name::Other || ((underscores || is_plain(field.name)) && Owned::find(field.name).is_none())
}

/// Fields that only `unladen serve` sends: they mark its own answers, so an upstream's must not have them.
pub fn is_said_by_us(name: &[u8]) -> bool {
    matches!(name.first(), Some(b'x' | b'X')) && begins(name, b"x-unladen-")
}

#[cfg(test)]
mod tests;
