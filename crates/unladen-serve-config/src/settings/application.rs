//! The principal type is [`Application`]: what answers the requests of a site.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

/// What answers the requests of a site that no route has taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Application {
    /// The upstream, by HTTP.
    #[default]
    Upstream,
    /// The upstream, by FastCGI.
    Php(ScriptSettings),
    /// Files alone: there is no upstream.
    Files(FolderSettings),
}

/// A folder of files, and what of it answers a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FolderSettings {
    /// The folder.
    pub root: PathBuf,
    /// The files that stand for a folder, in this order.
    pub index: Vec<String>,
    /// What is looked for, in this order.
    pub tries: Vec<Try>,
    /// How the path begins that is left out where files are looked for: `/static`, with no slash at its end; empty:
    /// nothing is left out.
    pub alias: String,
}

/// One place where to look for what answers a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Try {
    /// The file at the path, with this behind it: `{path}` has nothing behind it, `{path}.html` has `.html`.
    Path(String),
    /// The folder at the path, and its index: `{path}/`.
    Folder,
    /// This path, whatever was asked for: `/index.php`.
    Fixed(String),
}

/// Scripts that FastCGI runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScriptSettings {
    /// Where scripts are, and files beside them; none: the program answers all paths by itself.
    pub folder: Option<FolderSettings>,
    /// The one program for all paths, as `SCRIPT_FILENAME`: the path is its `PATH_INFO`.
    pub script: Option<PathBuf>,
    /// The beginning of the path that is the one program's own, as `SCRIPT_NAME`; the rest is its `PATH_INFO`.
    pub name: String,
    /// Folders besides that of the scripts from which `X-Accel-Redirect` and `X-Sendfile` may have files sent.
    pub sendfile: Vec<PathBuf>,
    /// How the names of scripts end: `.php`.
    pub suffixes: Vec<String>,
    /// Parameters besides the usual ones, or instead of them.
    pub params: Vec<(String, String)>,
    /// The path of PHP-FPM's status page, if it has one.
    pub status_path: Option<String>,
    /// Whether connections are kept for further requests.
    pub keep: bool,
}

/// How files are sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FilesSettings {
    /// Paths whose files never change: `/build/*`.
    pub immutable: Vec<String>,
    /// How long files may be kept whose paths are like this; the first that fits counts.
    pub max_age: Vec<(String, Duration)>,
    /// Whether `.br`, `.zst` and `.gz` beside a file are sent in its place.
    pub precompressed: bool,
    /// Whether files are sent whose names begin with a dot.
    pub hidden: bool,
    /// Paths of files that are sent though their names are those of private files, or an `.htaccess` refuses them.
    pub allow: Vec<String>,
    /// Whether small files are kept in memory.
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
