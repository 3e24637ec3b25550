//! The principal type is [`SourceFile`]: what is in a file.

use std::collections::HashMap;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};

use super::read;
use crate::Problem;
use crate::map::OWN_CLASS;
use crate::php::{self, Declaration};

/// What is in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// In the order of the file.
    pub declarations: Box<[Declaration]>,
    /// What PHP itself could not read, with its line.
    pub broken: Option<(u32, &'static str)>,
    /// Whether its path may go through symbolic links.
    pub(super) is_linked: bool,
    /// Of a file with many declarations, where each name in lower case is first.
    places: Option<HashMap<BString, usize>>,
}

/// How many declarations are looked through one by one.
const FEW: usize = 16;

impl SourceFile {
    /// What it says of `class`, whose case does not matter.
    pub fn declaration_of(&self, class: &BStr) -> Option<&Declaration> {
        match &self.places {
            Some(places) => self.declarations.get(*places.get(class.to_ascii_lowercase().as_bstr())?),
            None => self.declarations.iter().find(|declaration| declaration.name.eq_ignore_ascii_case(class)),
        }
    }

    pub(super) fn of(source: &[u8], is_linked: bool) -> Self {
        let php::Scan { mut declarations, broken } = php::scan(source);
        // A map that were in itself would never be done.
        declarations.retain(|declaration| !declaration.name.starts_with(OWN_CLASS.as_bytes()));
        let places = (declarations.len() > FEW).then(|| {
            // The first of a name is what counts, so it is put in last.
            let names = declarations.iter().enumerate().rev();
            names.map(|(place, declaration)| (declaration.name.to_ascii_lowercase().into(), place)).collect()
        });
        Self { declarations: declarations.into(), broken, is_linked, places }
    }

    /// Reads it, which may be behind links.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, Problem> {
        let Some(mut file) = read::open(path)? else { return Ok(None) };
        match read::Buffer::default().fill(&mut file) {
            Ok(source) => Ok(Some(Self::of(source, true))),
            Err(error) => Err(read::unreadable(path, &error)),
        }
    }
}
