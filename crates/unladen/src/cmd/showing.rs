//! The principal type is [`Showing`]: the part of the command line that says where the result goes, for all commands that
//! measure.

use std::path::PathBuf;

use crate::output::{self, OutputError, Report};
use crate::terminal;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Showing {
    /// Write JSON instead of tables
    #[arg(long, help_heading = "What to show")]
    json: bool,
    /// Write the result to a file: JSON if it ends in .json, a picture in .svg, else tables; may be repeated
    #[arg(short, long, value_name = "FILE", help_heading = "What to show")]
    output: Vec<PathBuf>,
    /// No progress line
    #[arg(short, long, help_heading = "What to show")]
    pub(super) quiet: bool,
}

// === impl Showing ===

impl Showing {
    /// Whether the files could be written at all: better told before measuring than after.
    pub(super) fn check(&self) -> Result<(), OutputError> {
        self.output.iter().try_for_each(|file| output::check(file))
    }

    /// Writes the result.
    pub(super) fn show(&self, result: Report<'_>) -> Result<(), OutputError> {
        output::everywhere(result, self.json, &self.output, terminal::style())
    }
}
