//! The principal type is [`Format`]: a way to write results; one folder each, in it one file a result. All are listed
//! in `formats.rs`.

use std::io::{self, Write};

use unladen_document::About;

use crate::inside::Inside;
use crate::load::Load;
use crate::profile::{ProfileDiff, Profiled};
use crate::prove::Prove;
use crate::style::Style;
use crate::weigh::Weigh;

/// Writes results.
pub trait Format: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What it is for, in half a line.
    fn about(&self) -> &'static str;

    /// Writes the result of `unladen weigh`.
    ///
    /// # Errors
    /// Only those of `out`.
    fn weigh(&self, result: &Weigh, about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what the rules find in the evidence of an earlier run: `unladen weigh --from`.
    ///
    /// # Errors
    /// Only those of `out`.
    fn inside(&self, pages: &[Inside], about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the result of `unladen load`.
    ///
    /// # Errors
    /// Only those of `out`.
    fn load(&self, result: &Load, about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the result of `unladen prove`.
    ///
    /// # Errors
    /// Only those of `out`.
    fn prove(&self, result: &Prove, about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the result of `unladen profile`.
    ///
    /// # Errors
    /// Only those of `out`.
    fn profile(&self, result: &Profiled, about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the result of `unladen profile diff`.
    ///
    /// # Errors
    /// Only those of `out`.
    fn profile_diff(&self, result: &ProfileDiff, about: &About, style: Style, out: &mut dyn Write) -> io::Result<()>;
}
