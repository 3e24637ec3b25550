//! The principal type is [`RouteSettings`]: what some requests get instead of the site's own settings.

use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::Serialize;

use super::proxy::ProxySettings;

/// Settings for some requests of a site: the first match counts.
#[derive(Clone, Debug, Serialize)]
pub struct RouteSettings {
    /// Its name in logs, metrics and explanations.
    pub name: String,
    pub matching: RouteMatch,
    pub action: RouteAction,
    pub response: HeaderEdits,
    /// Edits of the request before it is passed on.
    pub request: HeaderEdits,
    /// Whether the cache may answer, and store answers.
    pub cache: bool,
    /// Bytes of a request's body; `None` for the site's bound.
    pub body_bytes: Option<u64>,
    pub access: Option<AccessSettings>,
    /// The line in the file, counted from 1.
    pub line: usize,
}

/// Which requests a route takes: each list that is not empty needs a match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RouteMatch {
    /// Path prefixes of whole segments.
    pub prefixes: Vec<String>,
    pub exact: Vec<String>,
    pub suffixes: Vec<String>,
    pub methods: Vec<String>,
}

/// What answers the requests of a route.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteAction {
    /// The site's own application.
    Site,
    /// Another upstream, by HTTP.
    Upstream(Box<ProxySettings>),
    /// Another upstream, by FastCGI.
    Php(Box<ProxySettings>, ScriptSettings),
    Files(FolderSettings),
    Redirect {
        /// Target: `{uri}`, `{path}`, `{query}` and `{host}` are replaced.
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
    /// Names, in small letters, and values; they replace all fields of the name.
    pub set: Vec<(String, String)>,
    /// Names, in small letters.
    pub remove: Vec<String>,
}

/// Who may make requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AccessSettings {
    /// Addresses that are allowed; empty for all that `deny` does not have.
    pub allow: Vec<IpNet>,
    /// Whether clients on a Unix socket are allowed, if `allow` is not empty.
    pub allow_unix: bool,
    /// Addresses that are denied, even if `allow` has them.
    pub deny: Vec<IpNet>,
    pub deny_unix: bool,
    /// Names and passwords, if required.
    pub auth: Option<AuthSettings>,
}

/// Names and passwords (RFC 7617).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuthSettings {
    /// A file with a line `name:hash` for each user; hashes of bcrypt and Argon2id.
    pub users: PathBuf,
    pub realm: String,
}

// === impl RouteSettings ===

/// Not by `line`: a line more before it does not change a route.
impl PartialEq for RouteSettings {
    fn eq(&self, other: &Self) -> bool {
        let Self { name, matching, action, response, request, cache, body_bytes, access, line: _ } = self;
        (name, matching, action, response) == (&other.name, &other.matching, &other.action, &other.response)
            && (request, cache, body_bytes, access) == (&other.request, &other.cache, &other.body_bytes, &other.access)
    }
}

impl RouteSettings {
    /// The route's other upstream, if any.
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

/// What answers the requests of a site that no route has taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Application {
    #[default]
    Upstream,
    /// The upstream, by FastCGI.
    Php(ScriptSettings),
    /// Files alone, without upstream.
    Files(FolderSettings),
}

/// A folder of files, and which of them answers a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FolderSettings {
    pub root: PathBuf,
    /// Files that stand for a folder, in this order.
    pub index: Vec<String>,
    /// Places that are tried, in this order.
    pub tries: Vec<Try>,
    /// Prefix of the path that is removed before files are looked for: `/static`, without slash at its end; empty for
    /// none.
    pub alias: String,
}

/// One place where an answer to a path is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Try {
    /// The file at the path with this suffix: `{path}` has an empty one, `{path}.html` has `.html`.
    Path(String),
    /// The folder at the path, and its index: `{path}/`.
    Folder,
    /// This path, whatever was asked for: `/index.php`.
    Fixed(String),
}

/// Scripts that FastCGI runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScriptSettings {
    /// Folder of scripts, and of files beside them; `None` if the program answers all paths itself.
    pub folder: Option<FolderSettings>,
    /// The one program for all paths, as `SCRIPT_FILENAME`: the path is its `PATH_INFO`.
    pub script: Option<PathBuf>,
    /// The path prefix of the one program, as `SCRIPT_NAME`; the rest is its `PATH_INFO`.
    pub name: String,
    /// Further folders whose files `X-Accel-Redirect` and `X-Sendfile` may send.
    pub sendfile: Vec<PathBuf>,
    /// Suffixes of scripts: `.php`.
    pub suffixes: Vec<String>,
    /// Parameters that add to the usual ones or replace them.
    pub params: Vec<(String, String)>,
    pub status_path: Option<String>,
    pub keep: bool,
}

/// How files are sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FilesSettings {
    /// Paths of files that never change: `/build/*`.
    pub immutable: Vec<String>,
    /// Lifetimes by path pattern; the first match counts.
    pub max_age: Vec<(String, Duration)>,
    /// Whether `.br`, `.zst` and `.gz` beside a file are sent in its place.
    pub precompressed: bool,
    /// Whether files are sent whose names begin with a dot.
    pub hidden: bool,
    /// Paths of files that are sent despite a private name or an `.htaccess`.
    pub allow: Vec<String>,
    pub memory: bool,
    /// Folders outside the root that links may lead to.
    pub links: Vec<PathBuf>,
}

impl Default for FilesSettings {
    fn default() -> Self {
        Self {
            immutable: Vec::new(),
            max_age: Vec::new(),
            precompressed: true,
            hidden: false,
            allow: Vec::new(),
            memory: true,
            links: Vec::new(),
        }
    }
}
