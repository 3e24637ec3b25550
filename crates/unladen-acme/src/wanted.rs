//! The principal type is [`Wanted`]: a certificate to be obtained, and its authority.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use base64::Engine;
use base64::prelude::{BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};

/// Most names in one certificate: Let's Encrypt's bound.
const MOST_NAMES: usize = 100;
/// Longest URL of a directory: the name of its folder is made of it.
const LONGEST_DIRECTORY: usize = 80;

/// An authority, and the account's data.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Authority {
    /// The URL of its directory, https.
    pub directory: String,
    /// Contact for problems with a certificate.
    pub email: Option<String>,
    /// A file of authorities that the directory's own certificate is checked by; `None` for the system's.
    pub ca: Option<PathBuf>,
    /// An existing account there, to which the ACME account is bound.
    pub eab: Option<ExternalAccount>,
    /// The state's folder, with a subfolder for each authority.
    pub state: PathBuf,
}

/// An account outside ACME (RFC 8555, section 7.3.4).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ExternalAccount {
    /// The authority's identifier of it.
    pub kid: String,
    /// Its MAC key in base64url, as the authority gives it.
    pub key: String,
}

/// How control of a name is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChallengeKind {
    /// A page on port 80 (RFC 8555, section 8.3).
    Http01,
    /// A certificate on port 443 (RFC 8737).
    TlsAlpn01,
}

/// A certificate to be obtained. Two are equal if they have the same authority, names and kinds of challenge; the
/// kinds' order does not matter.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub(crate) authority: Authority,
    pub(crate) names: Vec<String>,
    pub(crate) challenges: Vec<ChallengeKind>,
}

/// Why a certificate cannot be obtained by ACME.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WantedError {
    #[error("a certificate needs names: set the site's `hosts`")]
    NoName,
    #[error("{0} names are too many for one certificate: {MOST_NAMES} at most; split them into several sites")]
    TooManyNames(usize),
    #[error(
        "`{0}` is not possible with ACME here: authorities issue wildcards only by DNS challenges (DNS-01), which \
         this program does not support; list the names one by one, or get the certificate elsewhere and set `tls`"
    )]
    Wildcard(String),
    #[error("`{0}` cannot be in an ACME certificate: expected a host name such as \"www.example.org\"")]
    Name(String),
    #[error("`{0}` is not an ACME directory: expected an https:// URL of at most {LONGEST_DIRECTORY} characters")]
    Directory(String),
    #[error("the `key` of `eab` is not base64url: copy it exactly as the authority gives it")]
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
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        let key = self.key.trim();
        BASE64_URL_SAFE_NO_PAD.decode(key).or_else(|_| BASE64_URL_SAFE.decode(key)).ok()
    }
}

impl ChallengeKind {
    /// The name in RFC 8555 and RFC 8737.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http01 => "http-01",
            Self::TlsAlpn01 => "tls-alpn-01",
        }
    }

    /// A command that shows from outside what the authority sees.
    pub(crate) fn command(self, name: &str) -> String {
        match self {
            Self::Http01 => format!("curl -v http://{name}/.well-known/acme-challenge/test"),
            Self::TlsAlpn01 => format!("openssl s_client -connect {name}:443 -servername {name} -alpn acme-tls/1"),
        }
    }
}

// === impl Wanted ===

impl Wanted {
    /// Describes a certificate for these names. The first kind of challenge is tried first, and after a failure the
    /// next.
    ///
    /// # Errors
    /// If it cannot be obtained.
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

    /// Its names, at least one; the first names its files.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The first name.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// The authority that issues it.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The allowed kinds, the first tried first.
    pub fn challenges(&self) -> &[ChallengeKind] {
        &self.challenges
    }

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

/// A DNS name that an authority can look up: letters, digits and hyphens (RFC 1123, section 2.1), no address.
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
