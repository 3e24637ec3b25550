//! The result of `unladen load`.

use std::io::{self, Write};

use super::prose::warnings;
use crate::load::Load;
use crate::style::Style;

pub(super) fn load(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    warnings(&result.warnings, style, out)
}
