//! The principal type is [`SourceFile`]: what is in a file.

use std::collections::HashMap;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};

use crate::Problem;
use crate::input::{Buffer, open_if_there, unreadable};
use crate::php::{self, Declaration};

/// Prefix of the class in a map written as PHP: it does not belong to the application.
pub(crate) const OWN_CLASS: &str = "UnladenClassmap_";

/// The contents of a PHP file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// In file order.
    pub declarations: Box<[Declaration]>,
    /// What PHP itself could not read, with its line.
    pub broken: Option<(u32, &'static str)>,
    /// Whether its path may go through symbolic links.
    pub(super) is_linked: bool,
    /// First position of each lower-case name, for a file with many declarations.
    places: Option<HashMap<BString, usize>>,
}

/// Most declarations that are searched linearly.
const FEW: usize = 16;

impl SourceFile {
    /// The declaration of `class`, ignoring case.
    pub fn declaration_of(&self, class: &BStr) -> Option<&Declaration> {
        match &self.places {
            Some(places) => self.declarations.get(*places.get(class.to_ascii_lowercase().as_bstr())?),
            None => self.declarations.iter().find(|declaration| declaration.name.eq_ignore_ascii_case(class)),
        }
    }

    pub(super) fn of(source: &[u8], is_linked: bool) -> Self {
        let php::Scan { mut declarations, broken } = php::scan(source);
        // A map must not include itself.
        declarations.retain(|declaration| !declaration.name.starts_with(OWN_CLASS.as_bytes()));
        let places = (declarations.len() > FEW).then(|| {
            // The first of a name counts, so it is inserted last.
            let names = declarations.iter().enumerate().rev();
            names.map(|(place, declaration)| (declaration.name.to_ascii_lowercase().into(), place)).collect()
        });
        Self { declarations: declarations.into(), broken, is_linked, places }
    }

    /// Reads a file, which may be behind links.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, Problem> {
        let Some(mut file) = open_if_there(path)? else { return Ok(None) };
        match Buffer::default().fill(&mut file) {
            Ok(source) => Ok(Some(Self::of(source, true))),
            Err(error) => Err(unreadable(path, &error)),
        }
    }
}
