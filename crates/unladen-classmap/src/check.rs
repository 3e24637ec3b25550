//! Whether a map that was written is still right. The principal type is [`Check`].

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};

use crate::php::constant::{Value, assigned};
use crate::{Map, Problem, Tree};

/// What differs between a map that was written and the one that would be written now.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Classes of the written map whose file has gone, in the order of their names, each with the file.
    pub gone: Vec<(BString, BString)>,
    /// Classes of the written map that their files do not declare.
    pub undeclared: Vec<(BString, BString)>,
    /// Classes that the loaders find and the written map lacks.
    pub lacking: Vec<(BString, BString)>,
    /// Classes that the loaders find in another file: the written one, then the other.
    pub moved: Vec<(BString, BString, BString)>,
    /// Classes of the written map, in files that declare them, that the loaders do not find there or anywhere.
    pub unfound: Vec<(BString, BString)>,
}

impl Check {
    /// Compares what is in the file with what would be written now.
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

/// A map as it stands in the file that was written.
#[derive(Debug, Default)]
pub struct Written {
    /// Class and file.
    pub classes: BTreeMap<BString, BString>,
}

impl Written {
    /// Reads the PHP form from the bytes of `file`.
    ///
    /// # Errors
    /// If that is no map of ours.
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
