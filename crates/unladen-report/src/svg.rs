//! SVG: self-contained pictures, on white, or on black for readers who prefer a dark ground.

use std::io::{self, Write};

use unladen_document::About;

use crate::format::Format;
use crate::inside::Inside;
use crate::load::Load;
use crate::profile::{ProfileDiff, Profiled};
use crate::prove::Prove;
use crate::style::Style;
use crate::weigh::Weigh;

mod draw;
mod inside;
mod load;
mod profile;
mod prove;
mod weigh;

pub(crate) struct Svg;

impl Format for Svg {
    fn name(&self) -> &'static str {
        "svg"
    }

    fn about(&self) -> &'static str {
        "a picture to show"
    }

    fn weigh(&self, result: &Weigh, _: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        document(|body| weigh::weigh(result, body), out)
    }

    fn inside(&self, pages: &[Inside], _: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        document(|body| inside::inside(pages, body), out)
    }

    fn load(&self, result: &Load, _: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        document(|body| load::load(result, body), out)
    }

    fn prove(&self, result: &Prove, _: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        document(|body| prove::prove(result, body), out)
    }

    fn profile(&self, result: &Profiled, _: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        profile::profile(result, out)
    }

    fn profile_diff(&self, result: &ProfileDiff, _: &About, _: Style, out: &mut dyn Write) -> io::Result<()> {
        profile::diff(result, out)
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

#[cfg(test)]
mod tests;
