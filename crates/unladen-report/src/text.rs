//! Text, for people.

use std::io::{self, Write};

use crate::format::{Format, Report};
use crate::style::Edge;
use crate::style::Style;

mod agents;
mod bill;
mod figure;
mod gates;
mod inside;
mod load;
mod profile;
mod prose;
mod prove;
mod screen;
mod table;
mod weigh;

pub use agents::program_of;
pub(crate) use figure::equal;
pub use prose::filled;
pub(crate) use prove::title;

pub(crate) struct Text;

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn about(&self) -> &'static str {
        "plain text tables"
    }

    fn write(&self, report: Report<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let out = &mut Edge::new(out, style.ascii);
        match report {
            Report::Weigh(result) if style.details => weigh::weigh(result, style, out),
            Report::Weigh(result) => screen::screen(result, style, out),
            Report::Inside(pages, _) if !style.details => screen::evidence(pages, style, out),
            Report::Inside(pages, _) => {
                let mut told = Vec::new();
                pages.iter().try_for_each(|page| {
                    writeln!(out, "{}\n", style.heading(&prose::clean(&page.url)))?;
                    inside::inside(page, &mut told, style, out)
                })
            }
            Report::Load(result) => load::load(result, style, out),
            Report::Prove(result) => prove::prove(result, style, out),
            Report::Profile(result) => profile::profile(result, style, out),
            Report::ProfileDiff(result) => profile::diff::diff(result, style, out),
            Report::Bill(result) => bill::bill(result, style, out),
        }
    }
}

#[cfg(test)]
mod tests;
