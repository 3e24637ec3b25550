//! Whether a written map is still right. The principal type is [`Check`].

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};

use crate::php::constant::{Value, assigned};
use crate::{Map, Problem, Tree};

/// Differences between a written map and the one that would be written now.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Classes whose file is missing, by name, each with the file.
    pub gone: Vec<(BString, BString)>,
    pub undeclared: Vec<(BString, BString)>,
    pub lacking: Vec<(BString, BString)>,
    /// Classes that the loaders find in another file: the written one, then the other.
    pub moved: Vec<(BString, BString, BString)>,
    /// Classes whose files declare them, but which the loaders do not find.
    pub unfound: Vec<(BString, BString)>,
}

impl Check {
    /// Compares the written map with what would be written now.
    pub fn of(written: &Written, map: &Map, tree: &Tree) -> Self {
        let mut check = Self::default();
        let now: BTreeMap<&BStr, &BStr> =
            map.entries.iter().map(|entry| (entry.class.as_bstr(), entry.path.as_bstr())).collect();
        for (class, path) in &written.classes {
            let pair = || (class.clone(), path.clone());
            let declares = match tree.file(path.as_bstr()) {
                Some(file) => Some(file.declaration_of(class.as_bstr()).is_some()),
                None => Tree::look(Path::new(std::ffi::OsStr::from_bytes(path)))
                    .map(|file| file.declaration_of(class.as_bstr()).is_some()),
            };
            match (declares, now.get(class.as_bstr())) {
                (None, _) => check.gone.push(pair()),
                (Some(false), _) => check.undeclared.push(pair()),
                (Some(true), None) => check.unfound.push(pair()),
                (Some(true), Some(other)) if *other != path => {
                    check.moved.push((class.clone(), path.clone(), (*other).to_owned()));
                }
                (Some(true), Some(_)) => {}
            }
        }
        for (class, path) in now {
            if !written.classes.contains_key(class) {
                check.lacking.push((class.to_owned(), path.to_owned()));
            }
        }
        check
    }

    /// Whether there is no difference.
    pub fn is_current(&self) -> bool {
        *self == Self::default()
    }
}

/// A map as read from a file.
#[derive(Debug, Default)]
pub struct Written {
    pub classes: BTreeMap<BString, BString>,
}

impl Written {
    /// Reads the PHP form from the bytes of `file`. Fails if it is no map of ours.
    pub fn read(source: &[u8], file: &Path) -> Result<Self, Problem> {
        let foreign = || Problem::of(file, "no class map of unladen, which has a constant FILES: make it anew");
        let Some(Value::Array(entries)) = assigned(source, file, "FILES")? else { return Err(foreign()) };
        let mut classes = BTreeMap::new();
        for (class, path) in entries {
            let (Value::String(class), Value::String(path)) = (class, path) else { return Err(foreign()) };
            classes.insert(class, path);
        }
        Ok(Self { classes })
    }
}
