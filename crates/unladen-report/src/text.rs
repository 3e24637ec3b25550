//! Text, for people.

use std::io::{self, Write};

use crate::ascii::Edge;
use unladen_document::About;

use crate::format::Format;
use crate::inside::Inside;
use crate::load::Load;
use crate::profile::{ProfileDiff, Profiled};
use crate::prove::Prove;
use crate::style::Style;
use crate::weigh::Weigh;

mod agents;
mod bar;
mod figure;
mod inside;
mod load;
mod profile;
mod prose;
mod prove;
mod table;
mod weigh;

pub(crate) use figure::equal;
pub(crate) use prove::title;

pub(crate) struct Text;

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn about(&self) -> &'static str {
        "tables to read"
    }

    fn weigh(&self, result: &Weigh, _: &About, style: Style, out: &mut dyn Write) -> io::Result<()> {
        weigh::weigh(result, style, &mut Edge::new(out, style.ascii))
    }

    fn inside(&self, pages: &[Inside], _: &About, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let out = &mut Edge::new(out, style.ascii);
        for page in pages {
            writeln!(out, "{}\n", style.heading(&prose::clean(&page.url)))?;
            inside::inside(page, style, out)?;
        }
        Ok(())
    }

    fn load(&self, result: &Load, _: &About, style: Style, out: &mut dyn Write) -> io::Result<()> {
        load::load(result, style, &mut Edge::new(out, style.ascii))
    }

    fn prove(&self, result: &Prove, _: &About, style: Style, out: &mut dyn Write) -> io::Result<()> {
        prove::prove(result, style, &mut Edge::new(out, style.ascii))
    }

    fn profile(&self, result: &Profiled, _: &About, style: Style, out: &mut dyn Write) -> io::Result<()> {
        profile::profile(result, style, &mut Edge::new(out, style.ascii))
    }

    fn profile_diff(&self, result: &ProfileDiff, _: &About, style: Style, out: &mut dyn Write) -> io::Result<()> {
        profile::diff::diff(result, style, &mut Edge::new(out, style.ascii))
    }
}

#[cfg(test)]
mod tests;
