//! The principal type is [`Showing`]: the part of the command line that says where the result goes, for all commands
//! that measure.

use std::path::PathBuf;

use crate::exit::Failure;
use crate::output::{self, OutputError, Report};
use crate::terminal;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Showing {
    /// Write JSON instead of tables
    #[arg(long, help_heading = "What to show")]
    json: bool,
    /// Write the result to a file: JSON if it ends in .json, a picture in .svg, tables in .txt; - is standard output,
    /// which has it in any case; may be repeated
    #[arg(short, long, alias = "out", value_name = "FILE", help_heading = "What to show")]
    output: Vec<PathBuf>,
    /// No progress line
    #[arg(short, long, short_alias = 's', alias = "silent", help_heading = "What to show")]
    pub(super) quiet: bool,
}

// === impl Showing ===

impl Showing {
    /// Whether the files can be written, and in which format: better told before measuring than after.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.check_as(false)
    }

    /// Likewise of a profile, which others' formats are for, too.
    pub(super) fn check_profile(&self) -> Result<(), Failure> {
        self.check_as(true)
    }

    fn check_as(&self, of_profile: bool) -> Result<(), Failure> {
        for file in self.output.iter().filter(|file| !output::is_stdout(file)) {
            output::check_format(file, of_profile).map_err(Failure::Usage)?;
            output::check(file)?;
        }
        Ok(())
    }

    /// Writes the result.
    pub(super) fn show(&self, result: Report<'_>) -> Result<(), OutputError> {
        output::everywhere(result, self.json, &self.output, terminal::style())
    }
}
