//! SVG: self-contained pictures, on white, or on black for readers who prefer a dark ground.

use std::io::{self, Write};

use unladen_profile::{FlameStyle, flame, flame_diff};

use crate::format::{Format, Report};
use crate::profile::{ProfileDiff, Profiled};
use crate::style::Style;

mod bill;
mod draw;
mod load;
mod prove;
mod weigh;

pub(crate) struct Svg;

impl Format for Svg {
    fn name(&self) -> &'static str {
        "svg"
    }

    fn about(&self) -> &'static str {
        "a picture"
    }

    fn write(&self, report: Report<'_>, _: Style, out: &mut dyn Write) -> io::Result<()> {
        match report {
            Report::Weigh(result) => document(|body| weigh::weigh(result, body), out),
            Report::Inside(pages, _) => document(|body| weigh::inside(pages, body), out),
            Report::Load(result) => document(|body| load::load(result, body), out),
            Report::Prove(result) => document(|body| prove::prove(result, body), out),
            Report::Profile(result) => profile(result, out),
            Report::ProfileDiff(result) => diff(result, out),
            Report::Bill(result) => document(|body| bill::bill(result, body), out),
        }
    }
}

/// A picture around the drawn body, whose height `drawn` returns.
fn document(drawn: impl FnOnce(&mut String) -> f64, out: &mut dyn Write) -> io::Result<()> {
    let mut body = String::new();
    let height = drawn(&mut body);
    // As wide as its surroundings, up to a sensible size of letters.
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"100%\" font-family=\"sans-serif\" \
         font-size=\"{size}\">\n<style>svg{{max-width:{most}px}}{dark}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}</svg>",
        width = draw::WIDTH,
        height = (height + draw::MARGIN).ceil(),
        size = draw::SIZE,
        most = draw::WIDTH * 1.5,
        dark = draw::dark(),
    )
}

/// The flame graph of `unladen profile`.
fn profile(result: &Profiled, out: &mut dyn Write) -> io::Result<()> {
    let Some(profile) = &result.profile else { return Ok(()) };
    let mut style = FlameStyle::of(profile);
    if let Some(setup) = &result.document.setup {
        style.title.clone_from(&setup.url);
        style.subtitle = format!("{} · {}", style.subtitle, setup.group);
    }
    flame(profile, &style, out)
}

/// That of `unladen profile diff`.
fn diff(result: &ProfileDiff, out: &mut dyn Write) -> io::Result<()> {
    let Some(diff) = &result.diff else { return Ok(()) };
    flame_diff(diff, &FlameStyle::of_diff(diff), out)
}

#[cfg(test)]
mod tests;
