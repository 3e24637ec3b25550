//! The list of all formats for others, from which options of commands and their help are made.

use crate::html::Html;
use crate::junit::Junit;
use crate::markdown::Markdown;
use crate::publication::Publication;
use crate::sarif::Sarif;

/// All formats, in the order of the help.
pub const PUBLICATIONS: &[&dyn Publication] = &[&Html, &Markdown, &Junit, &Sarif];

/// Finds a format by its name.
pub fn publication_named(name: &str) -> Option<&'static dyn Publication> {
    PUBLICATIONS.iter().copied().find(|publication| publication.name() == name)
}
