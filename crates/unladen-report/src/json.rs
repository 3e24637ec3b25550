//! JSON for programs: one document, described in docs/reference/json.md.

use std::io::{self, Write};

use unladen_document::About;

use crate::format::Format;
use crate::inside::Inside;
use crate::load::Load;
use crate::profile::{ProfileDiff, Profiled};
use crate::prove::Prove;
use crate::style::Style;
use crate::weigh::Weigh;

mod about;
mod figure;
mod inside;
mod load;
mod profile;
mod prove;
mod weigh;

pub use figure::nanos;

pub(crate) struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "one JSON document, its schema unladen.<command>/1"
    }

    fn weigh(&self, result: &Weigh, about: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        write(&weigh::document(result, about), out)
    }

    fn inside(&self, pages: &[Inside], about: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        write(&weigh::FindingsDocument::of(pages, about), out)
    }

    fn load(&self, result: &Load, about: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        write(&load::document(result, about), out)
    }

    fn prove(&self, result: &Prove, about: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        write(&prove::document(result, about), out)
    }

    fn profile(&self, result: &Profiled, about: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        write(&profile::document(result, about), out)
    }

    fn profile_diff(&self, result: &ProfileDiff, about: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        write(&profile::difference(result, about), out)
    }
}

fn write(document: &impl serde::Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
}

#[cfg(test)]
mod tests;
