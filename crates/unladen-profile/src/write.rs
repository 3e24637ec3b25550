//! The list [`WRITERS`].

use std::path::Path;

use crate::writers::{self, Writer};

/// All formats that are written.
pub static WRITERS: &[&dyn Writer] = &[
    &writers::unladen::Unladen,
    &writers::flame::Flame,
    &writers::speedscope::Speedscope,
    &writers::collapsed::Collapsed,
    &writers::firefox::Firefox,
    &writers::pprof::Pprof,
];

/// The writer of that name.
pub fn writer_named(name: &str) -> Option<&'static dyn Writer> {
    WRITERS.iter().copied().find(|writer| writer.name() == name)
}

/// The writer with the longest suffix that matches the file's name.
pub fn writer_for(file: &Path) -> Option<&'static dyn Writer> {
    let name = file.file_name()?.to_string_lossy();
    let fits = |writer: &&dyn Writer| {
        writer.suffixes().iter().filter(|suffix| name.ends_with(**suffix)).map(|suffix| suffix.len()).max()
    };
    WRITERS
        .iter()
        .filter_map(|writer| Some((fits(writer)?, *writer)))
        .max_by_key(|(length, _)| *length)
        .map(|(_, writer)| writer)
}

#[cfg(test)]
mod tests;
