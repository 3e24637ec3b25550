//! The principal type is [`RouteSettings`]: what some requests of a site get instead of the site's own.

use std::path::PathBuf;

use ipnet::IpNet;
use serde::Serialize;

use super::application::{FolderSettings, ScriptSettings};
use super::proxy::ProxySettings;

/// What some requests of a site get instead of the site's own: the first that fits counts.
#[derive(Clone, Debug, Serialize)]
pub struct RouteSettings {
    /// Its name in logs, metrics and explanations.
    pub name: String,
    /// Which requests it takes.
    pub matching: RouteMatch,
    /// What answers them.
    pub action: RouteAction,
    /// Fields of the response that are set and removed.
    pub response: HeaderEdits,
    /// Fields of the request that are set and removed before it goes on.
    pub request: HeaderEdits,
    /// Whether the cache may answer, and keep answers.
    pub cache: bool,
    /// The longest body of a request, in bytes; none: the site's own bound.
    pub body_bytes: Option<u64>,
    /// Who may ask; none: everybody.
    pub access: Option<AccessSettings>,
    /// Where it is in the file, counted from 1.
    pub line: usize,
}

/// Which requests a route takes: each list that is not empty has to have one that fits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RouteMatch {
    /// How the path begins: whole segments.
    pub prefixes: Vec<String>,
    /// The whole path.
    pub exact: Vec<String>,
    /// How the path ends.
    pub suffixes: Vec<String>,
    pub methods: Vec<String>,
}

/// What answers the requests of a route.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteAction {
    /// What answers the site's other requests.
    Site,
    /// Another upstream, by HTTP.
    Upstream(Box<ProxySettings>),
    /// Another upstream, by FastCGI.
    Php(Box<ProxySettings>, ScriptSettings),
    Files(FolderSettings),
    Redirect {
        /// Where to: `{uri}`, `{path}`, `{query}` and `{host}` are replaced.
        to: String,
        /// 301, 302, 303, 307 or 308.
        status: u16,
    },
    /// A status, at once.
    Status(u16),
}

/// Fields that are set and removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HeaderEdits {
    /// Names, in small letters, and values: all fields of the name make room for it.
    pub set: Vec<(String, String)>,
    /// Names, in small letters.
    pub remove: Vec<String>,
}

/// Who may ask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AccessSettings {
    /// From where; empty: from anywhere that `deny` does not have.
    pub allow: Vec<IpNet>,
    /// Whether clients are allowed that come by a Unix socket, where `allow` is not empty.
    pub allow_unix: bool,
    /// From where not, also where `allow` has it.
    pub deny: Vec<IpNet>,
    /// Whether clients are denied that come by a Unix socket.
    pub deny_unix: bool,
    /// With which name and password; none: without.
    pub auth: Option<AuthSettings>,
}

/// Names and passwords (RFC 7617).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuthSettings {
    /// A file with a line `name:hash` for each user; hashes of bcrypt and Argon2id.
    pub users: PathBuf,
    /// What the client is told that it is for.
    pub realm: String,
}

// === impl RouteSettings ===

/// A line more before it does not make another route of it.
impl PartialEq for RouteSettings {
    fn eq(&self, other: &Self) -> bool {
        let Self { name, matching, action, response, request, cache, body_bytes, access, line: _ } = self;
        (name, matching, action, response) == (&other.name, &other.matching, &other.action, &other.response)
            && (request, cache, body_bytes, access) == (&other.request, &other.cache, &other.body_bytes, &other.access)
    }
}

impl RouteSettings {
    /// The other upstream that its requests go to, if there is one.
    pub fn called(&self) -> Option<&ProxySettings> {
        match &self.action {
            RouteAction::Upstream(proxy) | RouteAction::Php(proxy, _) => Some(proxy),
            _ => None,
        }
    }
}

impl HeaderEdits {
    /// Whether nothing is edited.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.remove.is_empty()
    }
}
