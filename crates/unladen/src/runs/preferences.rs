//! The principal type is [`Preferences`]: a user's settings for all runs, in `~/.config/unladen/config.toml`.

use std::io;
use std::path::{Path, PathBuf};

use unladen_store::Location;
use unladen_toml::{Bad, Document, Mistakes, Value};

use crate::exit::Failure;

/// Environment variable that overrides the file.
pub(crate) const STORE_VARIABLE: &str = "UNLADEN_STORE";

/// Value that means nothing is kept.
const OFF: &str = "off";

const MOST_BYTES: u64 = 64 << 10;

const KEYS: [&str; 2] = ["store", "evidence"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Preferences {
    /// `None` if nothing is kept.
    pub(crate) store: Option<Location>,
    /// Whether the user named the store: it is an error then if nothing can be kept there.
    pub(crate) is_store_named: bool,
    /// Whether traces are kept, too: they hold texts of queries.
    pub(crate) evidence: bool,
}

impl Preferences {
    /// From the variable, the file, or else the state folder. Fails if the file or the variable is invalid, or the file
    /// cannot be read.
    pub(crate) fn of_user() -> Result<Self, Failure> {
        let file = file();
        let of_file = match &file {
            Some(file) => Self::read(file)?,
            None => Self::default(),
        };
        match std::env::var(STORE_VARIABLE) {
            Ok(text) if !text.is_empty() => {
                let store = store(&text).map_err(|why| Failure::Usage(format!("{STORE_VARIABLE}: {why}")))?;
                Ok(Self { store, is_store_named: true, ..of_file })
            }
            _ => Ok(of_file),
        }
    }

    fn read(file: &Path) -> Result<Self, Failure> {
        let text = match bounded(file) {
            Ok(text) => text,
            // Another user's home, as with `sudo -u`, does not count.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
                return Ok(Self::default());
            }
            Err(error) => return Err(Failure::Usage(format!("{} cannot be read: {error}", file.display()))),
        };
        Self::parse(&text, file).map_err(|mistakes| Failure::Usage(mistakes.to_string()))
    }

    fn parse(text: &str, file: &Path) -> Result<Self, Mistakes> {
        let (document, mut bads) = Document::parse(text);
        let root = document.root();
        bads.extend(root.strangers(&KEYS, |_| None));
        let mut read = Self::default();
        let mut note = |bad: Bad| bads.push(bad);
        if let Some(value) = root.get("store") {
            read.is_store_named = true;
            match location(&value) {
                Ok(store) => read.store = store,
                Err(bad) => note(bad),
            }
        }
        if let Some(value) = root.get("evidence") {
            match value.flag() {
                Ok(flag) => read.evidence = flag,
                Err(bad) => note(bad),
            }
        }
        if bads.is_empty() { Ok(read) } else { Err(Mistakes::new(text, file, bads)) }
    }
}

impl Default for Preferences {
    fn default() -> Self {
        Self { store: Some(Location::default()), is_store_named: false, evidence: true }
    }
}

fn location(value: &Value<'_>) -> Result<Option<Location>, Bad> {
    let text = value.text()?;
    store(text).map_err(|why| value.refuse(text, why))
}

/// `off`, or a location.
fn store(text: &str) -> Result<Option<Location>, String> {
    if text == OFF {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|error| format!("{error}; `{OFF}` keeps nothing"))
}

fn bounded(file: &Path) -> io::Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    let read = std::fs::File::open(file)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if read as u64 > MOST_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large for a file of settings"));
    }
    Ok(text)
}

/// By the XDG Base Directory Specification; `None` without a home.
fn file() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))?;
    Some(folder.join("unladen/config.toml"))
}

#[cfg(test)]
mod tests;
