//! The result of `unladen prove`.

use std::io::{self, Write};

use super::prose::warnings;
use crate::prove::Prove;
use crate::style::Style;

pub(super) fn prove(result: &Prove, style: Style, out: &mut dyn Write) -> io::Result<()> {
    warnings(&result.warnings, style, out)
}
