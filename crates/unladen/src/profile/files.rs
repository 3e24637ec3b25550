//! The files of a profile: a flame graph, and all formats that are written.

use std::path::{Path, PathBuf};

use unladen_document::Written;
use unladen_profile::{Diff, FlameStyle, Profile, WRITERS, Writer, flame_diff, writer_named};

use crate::exit::Failure;
use crate::output;

/// Longer names are cut: a file name has at most 255 bytes.
const MOST_LETTERS: usize = 60;

/// A file name for a URL: the end of its path, `Main_Page`; for `/`, its host.
pub(crate) fn slug(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let name: String = last.chars().map(|letter| if plain(letter) { letter } else { '-' }).take(MOST_LETTERS).collect();
    let name = name.trim_matches(['.', '-']).to_owned();
    if name.is_empty() { "profile".to_owned() } else { name }
}

/// Writes all formats; returns the files and what reads each. The error is that of the first that cannot be written.
pub(crate) fn write_all(profile: &Profile, folder: &Path, name: &str) -> Result<Vec<Written>, Failure> {
    WRITERS.iter().map(|writer| write(profile, *writer, folder, name)).collect()
}

/// Writes our own format and a flame graph. The error is that of the first that cannot be written.
pub(crate) fn write_native(profile: &Profile, folder: &Path, name: &str) -> Result<Vec<Written>, Failure> {
    ["unladen", "flame"]
        .into_iter()
        .filter_map(writer_named)
        .map(|writer| write(profile, writer, folder, name))
        .collect()
}

/// The whole profile in our own format, kept with its result.
pub(crate) fn stacks(profile: &Profile) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    writer_named("unladen")?.write(profile, &mut text).ok()?;
    Some(text)
}

pub(crate) fn write_flame_diff(diff: &Diff, folder: &Path, name: &str) -> Result<Written, Failure> {
    let file = folder.join(format!("{name}.diff.svg"));
    let style = FlameStyle::of_diff(diff);
    output::whole_file(&file, |out| flame_diff(diff, &style, out))?;
    Ok(Written { file: file.display().to_string(), reads: "any browser: a differential flame graph".to_owned() })
}

fn write(profile: &Profile, writer: &dyn Writer, folder: &Path, name: &str) -> Result<Written, Failure> {
    let suffix = writer.suffixes().first().copied().unwrap_or(".txt");
    let file: PathBuf = folder.join(format!("{name}{suffix}"));
    output::whole_file(&file, |out| writer.write(profile, out))?;
    Ok(Written { file: file.display().to_string(), reads: writer.about().to_owned() })
}

#[cfg(test)]
mod tests;
