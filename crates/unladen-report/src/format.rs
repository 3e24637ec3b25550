//! The principal type is [`Format`]: a way to write results. Each has its own folder, with one file for each result,
//! and an entry in `formats.rs`.

use std::io::{self, Write};

use unladen_document::About;

use crate::inside::Inside;
use crate::load::Load;
use crate::profile::{ProfileDiff, Profiled};
use crate::prove::Prove;
use crate::style::Style;
use crate::weigh::Weigh;

/// Writes results. Its methods fail only if `out` does.
pub trait Format: Sync {
    fn name(&self) -> &'static str;

    /// Purpose in half a line.
    fn about(&self) -> &'static str;

    fn weigh(&self, result: &Weigh, about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what the rules find in an earlier run's evidence: `unladen weigh --from`.
    fn inside(&self, pages: &[Inside], about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;

    fn load(&self, result: &Load, about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;

    fn prove(&self, result: &Prove, about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;

    fn profile(&self, result: &Profiled, about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;

    fn profile_diff(&self, result: &ProfileDiff, about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;
}
