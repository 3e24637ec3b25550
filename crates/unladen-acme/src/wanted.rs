//! The principal type is [`Wanted`]: a certificate that somebody is to have, and from whom.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use base64::Engine;
use base64::prelude::{BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};

/// The names in one certificate, at most: Let's Encrypt's bound.
const MOST_NAMES: usize = 100;
/// The longest URL of a directory: the name of its folder is made of it.
const LONGEST_DIRECTORY: usize = 80;

/// Who issues certificates, and what is told to it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Authority {
    /// The URL of its directory, https.
    pub directory: String,
    /// Where it writes to, if something is wrong with a certificate.
    pub email: Option<String>,
    /// A file of the authorities that the directory's own certificate is checked by; none: the system's.
    pub ca: Option<PathBuf>,
    /// An account that exists there already, to which the ACME account is bound.
    pub eab: Option<ExternalAccount>,
    /// The folder of all that is kept. Below it each authority has its own.
    pub state: PathBuf,
}

/// An account outside ACME (RFC 8555, section 7.3.4).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ExternalAccount {
    /// What the authority calls it.
    pub kid: String,
    /// Its MAC key, base64url as the authority gives it.
    pub key: String,
}

/// How the authority sees that a name belongs to whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChallengeKind {
    /// A page at port 80 (RFC 8555, section 8.3).
    Http01,
    /// A certificate at port 443 (RFC 8737).
    TlsAlpn01,
}

/// A certificate that somebody is to have. Two are the same if they are had from the same authority, for the same names,
/// in the same ways; which way is tried first makes no other certificate.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub(crate) authority: Authority,
    pub(crate) names: Vec<String>,
    pub(crate) challenges: Vec<ChallengeKind>,
}

/// Why a certificate cannot be had by ACME.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WantedError {
    #[error("a certificate needs the names that it is for: give the site its `hosts`")]
    NoName,
    #[error("{0} names are too many for one certificate: {MOST_NAMES} at most; make several sites of them")]
    TooManyNames(usize),
    #[error(
        "`{0}` cannot be had by ACME here: authorities issue wildcards only for changes in the DNS (DNS-01), which this \
         program does not make; list the names one by one, or get the certificate elsewhere and set `tls`"
    )]
    Wildcard(String),
    #[error("`{0}` cannot be in a certificate of ACME: expected a host name such as \"www.example.org\"")]
    Name(String),
    #[error("`{0}` is no directory of ACME: expected an https:// URL of at most {LONGEST_DIRECTORY} characters")]
    Directory(String),
    #[error("the `key` of `eab` is not base64url: copy it as the authority gives it")]
    Eab,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority")
            .field("directory", &self.directory)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl ExternalAccount {
    /// The key's bytes.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        let key = self.key.trim();
        BASE64_URL_SAFE_NO_PAD.decode(key).or_else(|_| BASE64_URL_SAFE.decode(key)).ok()
    }
}

impl ChallengeKind {
    /// As RFC 8555 and RFC 8737 write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http01 => "http-01",
            Self::TlsAlpn01 => "tls-alpn-01",
        }
    }

    /// The command by which somebody outside sees what the authority sees.
    pub(crate) fn command(self, name: &str) -> String {
        match self {
            Self::Http01 => format!("curl -v http://{name}/.well-known/acme-challenge/test"),
            Self::TlsAlpn01 => format!("openssl s_client -connect {name}:443 -servername {name} -alpn acme-tls/1"),
        }
    }
}

// === impl Wanted ===

impl Wanted {
    /// A certificate for these names, shown to be one's own in one of these ways: the first is tried first, and after a
    /// failure the next.
    ///
    /// # Errors
    /// If it cannot be had so.
    pub fn new(authority: Authority, names: Vec<String>, challenges: Vec<ChallengeKind>) -> Result<Self, WantedError> {
        let directory = &authority.directory;
        let is_printable = directory.bytes().all(|byte| byte.is_ascii_graphic());
        if !directory.starts_with("https://") || directory.len() > LONGEST_DIRECTORY || !is_printable {
            return Err(WantedError::Directory(directory.clone()));
        }
        if authority.eab.as_ref().is_some_and(|eab| eab.bytes().is_none()) {
            return Err(WantedError::Eab);
        }
        let mut distinct: Vec<String> = Vec::new();
        for name in names {
            let name = name.to_ascii_lowercase();
            if name.starts_with("*.") {
                return Err(WantedError::Wildcard(name));
            }
            if !is_name(&name) {
                return Err(WantedError::Name(name));
            }
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        }
        if distinct.is_empty() {
            return Err(WantedError::NoName);
        }
        if distinct.len() > MOST_NAMES {
            return Err(WantedError::TooManyNames(distinct.len()));
        }
        Ok(Self { authority, names: distinct, challenges })
    }

    /// What it is for: at least one, the first gives it its name on disk.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The first name.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// From whom.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// In which ways, the first tried first.
    pub fn challenges(&self) -> &[ChallengeKind] {
        &self.challenges
    }

    /// What makes it this one.
    fn identity(&self) -> (&Authority, &[String], [bool; 2]) {
        let kinds = [ChallengeKind::Http01, ChallengeKind::TlsAlpn01].map(|kind| self.challenges.contains(&kind));
        (&self.authority, &self.names, kinds)
    }
}

impl PartialEq for Wanted {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Wanted {}

impl Hash for Wanted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

/// A name of the DNS that an authority can look up: letters, digits and hyphens (RFC 1123, section 2.1), no address.
fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253 && name.parse::<std::net::IpAddr>().is_err() && name.split('.').all(is_label)
}

#[cfg(test)]
mod tests;
