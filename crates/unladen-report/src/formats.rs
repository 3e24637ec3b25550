//! The list [`FORMATS`] of all output formats.

use crate::format::Format;
use crate::json::Json;
use crate::svg::Svg;
use crate::text::Text;

/// All output formats.
pub static FORMATS: &[&dyn Format] = &[&Text, &Json, &Svg];

/// Finds a format by its name.
pub fn format_named(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().find(|format| format.name() == name).copied()
}
