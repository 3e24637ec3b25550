//! The principal type is [`Application`]: what answers the requests of a site.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

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
