//! The list [`FORMATS`]: all ways to write results.

use crate::format::Format;
use crate::json::Json;
use crate::svg::Svg;
use crate::text::Text;

/// All formats.
pub static FORMATS: &[&dyn Format] = &[&Text, &Json, &Svg];

/// The format of that name.
pub fn format_named(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().find(|format| format.name() == name).copied()
}
