//! Markdown, for comments of GitHub and GitLab and for step summaries: [`Markdown`].

use std::io::{self, Write};

use unladen_compare::Comparison;
use unladen_document::Document;

use crate::publication::Publication;

mod about;
mod agents;
mod classmap;
mod comparison;
mod findings;
mod gates;
mod inert;
mod load;
mod profile;
mod profile_diff;
mod prove;
mod sheet;
mod weigh;

pub(crate) use comparison::{change as plain_change, floor as plain_floor, margin, said, value as plain_value};
use sheet::Sheet;
pub(crate) use weigh::has_looked;

/// Maximum size of a result. A GitHub comment has at most 65,536 characters, and those who post one add something above
/// it; a step summary has at most 1 MiB for all steps together, and a GitLab comment 1 MiB.
const MOST_BYTES: usize = 60_000;

pub(crate) struct Markdown;

impl Publication for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn about(&self) -> &'static str {
        "a comment of GitHub or GitLab, or a step summary, of at most 60 kB"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["md", "markdown"]
    }

    fn document(&self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        let mut sheet = Sheet::new(MOST_BYTES);
        let answers = document.answers();
        match document {
            Document::Weigh(weigh) => weigh::weigh(weigh, &answers, &mut sheet),
            Document::Load(load) => load::load(load, &answers, &mut sheet),
            Document::Prove(prove) => prove::prove(prove, &answers, &mut sheet),
            Document::Profile(profile) => profile::profile(profile, &answers, &mut sheet),
            Document::ProfileDiff(diff) => profile_diff::profile_diff(diff, &mut sheet),
            Document::ClassmapCheck(check) => classmap::classmap(check, &mut sheet),
        }
        about::warnings(document.warnings(), &mut sheet);
        about::about(document.about(), &mut sheet);
        out.write_all(sheet.finish().as_bytes())
    }

    fn comparison(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        let mut sheet = Sheet::new(MOST_BYTES);
        comparison::comparison(comparison, &mut sheet);
        about::warnings(&comparison.warnings, &mut sheet);
        out.write_all(sheet.finish().as_bytes())
    }
}

#[cfg(test)]
mod tests;
