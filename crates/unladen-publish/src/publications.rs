//! The list of all formats that others read: it drives the options of commands and their help.

use crate::html::Html;
use crate::junit::Junit;
use crate::markdown::Markdown;
use crate::publication::Publication;
use crate::sarif::Sarif;

/// All of them, in the order of the help.
pub const PUBLICATIONS: &[&dyn Publication] = &[&Html, &Markdown, &Junit, &Sarif];

/// The one of this name.
pub fn publication_named(name: &str) -> Option<&'static dyn Publication> {
    PUBLICATIONS.iter().copied().find(|publication| publication.name() == name)
}
