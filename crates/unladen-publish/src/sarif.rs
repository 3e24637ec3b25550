//! SARIF 2.1.0 of OASIS, for GitHub's code scanning and for editors: [`Sarif`].
//!
//! GitHub refuses a whole file if one of its results has no place in a file. So a result without a known place gets the
//! path of its page's URL, and says so. `logicalLocations` have the truth in any case: the page and the group.

use std::io::{self, Write};

use unladen_compare::Comparison;
use unladen_document::Document;

use crate::publication::Publication;

mod fingerprint;
mod location;
mod log;
mod results;
mod rule;
mod run;

use log::Log;

pub(crate) struct Sarif;

impl Publication for Sarif {
    fn name(&self) -> &'static str {
        "sarif"
    }

    fn about(&self) -> &'static str {
        "findings, and failure conditions that hold, for code scanning and editors"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["sarif", "sarif.json"]
    }

    fn document(&self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        write(run::of(document), out)
    }

    fn comparison(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        write(run::of_comparison(comparison), out)
    }
}

fn write(run: log::Run, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Log::of(run))?;
    writeln!(out)
}

#[cfg(test)]
mod tests;
