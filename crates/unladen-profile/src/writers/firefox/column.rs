//! The function is [`column`]: a column of a table.

use std::io::{self, Write};

use crate::writers::json::text;

pub(super) fn column<T: std::fmt::Display>(
    out: &mut dyn Write,
    name: &str,
    values: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, "{}:[", text(name))?;
    for (index, value) in values.into_iter().enumerate() {
        write!(out, "{}{value}", comma(index))?;
    }
    out.write_all(b"],\n")
}

pub(super) fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}
