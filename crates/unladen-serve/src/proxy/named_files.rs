//! The principal type is [`NamedFiles`]: folders from which an application may have files sent by naming them in its
//! answer.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use unladen_files::{OpenFile, RequestPath, Resolved, Root, Rules, ScriptNames, Try};
use unladen_serve_config::ScriptSettings;

#[derive(Debug)]
pub(crate) struct NamedFiles {
    folders: Vec<Folder>,
    rules: Rules,
}

#[derive(Debug)]
struct Folder {
    /// As configured, and without links: an application may use either.
    paths: [PathBuf; 2],
    root: Result<Root, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named<'a> {
    /// By its path on this machine: `X-Sendfile`.
    File(&'a [u8]),
    /// By a percent-encoded path beneath one of the folders: `X-Accel-Redirect`.
    Location(&'a [u8]),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotSent {
    /// It is in none of the folders, or is a script.
    Denied(String),
    /// It is missing or unreadable.
    Missing(String),
}

impl NamedFiles {
    /// The configured folders, and that of the scripts.
    pub(crate) fn new(script: &ScriptSettings) -> Self {
        let own = script.folder.iter().map(|folder| &folder.root);
        let folder = |path: &PathBuf| Folder {
            paths: [path.clone(), path.canonicalize().unwrap_or_else(|_| path.clone())],
            root: Root::open(path).map_err(|error| error.to_string()),
        };
        let rules = Rules {
            index: Vec::new(),
            tries: vec![Try::Path(String::new())],
            scripts: ScriptNames::new(script.suffixes.iter().cloned()),
            hidden: false,
            private: None,
        };
        Self { folders: script.sendfile.iter().chain(own).map(folder).collect(), rules }
    }

    pub(crate) fn open(&self, named: Named<'_>, now: Instant) -> Result<OpenFile, NotSent> {
        let (Named::File(shown) | Named::Location(shown)) = named;
        let shown = String::from_utf8_lossy(shown.get(..200).unwrap_or(shown)).into_owned();
        let mut why = None;
        for folder in &self.folders {
            let target = match named {
                Named::Location(path) => path.to_vec(),
                Named::File(path) => match folder.beneath(Path::new(std::ffi::OsStr::from_bytes(path))) {
                    Some(target) => target,
                    None => continue,
                },
            };
            let Ok(path) = RequestPath::parse(&target) else {
                return Err(NotSent::Denied(format!("the application has named `{shown}`, which is not a path")));
            };
            let root = match &folder.root {
                Ok(root) => root,
                Err(error) => {
                    why = Some(NotSent::Missing(error.clone()));
                    continue;
                }
            };
            match root.resolve(&path, &self.rules, now) {
                Resolved::File(file) => return Ok(file),
                Resolved::Script(_) => {
                    return Err(NotSent::Denied(format!("the application has named `{shown}`, which is a script")));
                }
                Resolved::Refused(refusal) => why = Some(NotSent::Missing(refusal.to_string())),
                Resolved::Redirect(_) | Resolved::NotFound | Resolved::Status(_) => {
                    why = why.or(Some(NotSent::Missing(format!(
                        "the application has named `{shown}`, which does not exist"
                    ))));
                }
            }
        }
        Err(why.unwrap_or_else(|| {
            NotSent::Denied(format!(
                "the application has named `{shown}`, which is neither below `root` nor in a folder of `fastcgi.sendfile`"
            ))
        }))
    }
}

impl Folder {
    fn beneath(&self, path: &Path) -> Option<Vec<u8>> {
        let rest = self.paths.iter().find_map(|folder| path.strip_prefix(folder).ok())?;
        let mut target = vec![b'/'];
        for byte in rest.as_os_str().as_bytes() {
            match byte {
                b'%' | b'?' | b'#' | 0..=b' ' | 0x7f.. => target.extend_from_slice(format!("%{byte:02X}").as_bytes()),
                plain => target.push(*plain),
            }
        }
        Some(target)
    }
}

#[cfg(test)]
mod tests;
