//! The principal type is [`Showing`]: options of all measuring commands that say where the result goes.

use std::path::PathBuf;

use unladen_publish::{comparison_text, publication_named};
use unladen_report::{Report, Style};

use crate::exit::Failure;
use crate::output::{self, Destination, OutputError};
use crate::runs::{Keeper, worse};
use crate::terminal;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Showing {
    /// Write JSON instead of tables
    #[arg(long, help_heading = "What to show")]
    pub(super) json: bool,
    /// Show everything that was measured, and not the first screen alone
    #[arg(long, help_heading = "What to show")]
    details: bool,
    /// Write the result to a file, in the format of its ending: .json, .svg (a picture), .txt (tables), .html (a
    /// report), .md; - is standard output, where the result goes in any case; may be repeated
    #[arg(short, long, alias = "out", value_name = "FILE", help_heading = "What to show")]
    output: Vec<PathBuf>,
    #[command(flatten)]
    published: Published,
    /// Show no progress line
    #[arg(short, long, short_alias = 's', alias = "silent", help_heading = "What to show")]
    pub(super) quiet: bool,
}

/// Formats that others read.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Published {
    /// Write a report: one HTML file that loads nothing from the network
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    html: Vec<PathBuf>,
    /// Write Markdown, such as for a merge request; $GITHUB_STEP_SUMMARY is appended to
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    markdown: Vec<PathBuf>,
    /// Write JUnit XML, for the test list of a CI
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    junit: Vec<PathBuf>,
    /// Write SARIF, for tools that show findings next to the code
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    sarif: Vec<PathBuf>,
}

impl Published {
    pub(super) fn destinations(&self) -> impl Iterator<Item = Destination> {
        let by_name =
            [("html", &self.html), ("markdown", &self.markdown), ("junit", &self.junit), ("sarif", &self.sarif)];
        by_name.into_iter().flat_map(|(name, files)| {
            let publication = publication_named(name);
            files.iter().filter_map(move |file| Some(Destination::published(file, publication?)))
        })
    }
}

impl Showing {
    /// Checks, before measuring, that the files can be written and in which format: a profile can also be written in other
    /// tools' formats.
    pub(super) fn check(&self, of_profile: bool) -> Result<(), Failure> {
        Ok(self.destinations().iter().try_for_each(|file| file.check(of_profile))?)
    }

    fn destinations(&self) -> Vec<Destination> {
        self.output.iter().map(|file| Destination::of_name(file)).chain(self.published.destinations()).collect()
    }

    /// Writes the result of a run, then keeps it: a result that could not be kept has been shown.
    pub(super) fn show_and_keep(
        &self,
        result: Report<'_>,
        keeper: &Keeper,
        evidence: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Result<(), Failure> {
        let style = self.style();
        let shown = self.show_as(result, Style { fix: style.fix.filter(|_| keeper.is_where_fix_looks()), ..style });
        let document = result.document();
        let compared = keeper.comparison(&document);
        let kept = keeper.keep(&document, evidence);
        shown?;
        kept?;
        let (Some(comparison), Some(against)) = (compared?, &keeper.against) else { return Ok(()) };
        for file in &against.files {
            Destination::of_name(file).write_comparison(&comparison)?;
        }
        if !self.json {
            output::line(&format!("\n{}", comparison_text(&comparison).trim_end()))?;
        }
        worse(&comparison, against.tolerance)
    }

    /// Shows a result that is not kept.
    pub(super) fn show(&self, result: Report<'_>) -> Result<(), OutputError> {
        self.show_as(result, Style { fix: None, ..self.style() })
    }

    fn style(&self) -> Style {
        Style { details: self.details, ..terminal::style() }
    }

    fn show_as(&self, result: Report<'_>, style: Style) -> Result<(), OutputError> {
        output::everywhere(result, self.json, &self.destinations(), style)
    }
}

#[cfg(test)]
mod tests;
