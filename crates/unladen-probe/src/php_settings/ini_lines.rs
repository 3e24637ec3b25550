//! The principal type is [`IniLine`]: a line of a settings file that sets something.

use std::path::{Path, PathBuf};

use crate::php_settings::read::{self, Room};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IniLine {
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// From 1.
    pub(super) line: u32,
    pub(super) text: String,
}

/// The effective (last) line for each setting in these files. Unreadable files are skipped: PHP has not read them
/// either, if asked by the same user.
pub(super) fn ini_lines<'a>(files: impl Iterator<Item = &'a Path>, is_wanted: fn(&str) -> bool) -> Vec<IniLine> {
    let mut room = Room::default();
    let mut lines: Vec<IniLine> = Vec::new();
    for file in files {
        let Ok(text) = read::text(file, &mut room) else { continue };
        // Settings below [HOST=…] and [PATH=…] apply to some requests only.
        let mut is_for_all = true;
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(section) = line.trim_start().strip_prefix('[') {
                let begins = |with: &str| section.get(..with.len()).is_some_and(|text| text.eq_ignore_ascii_case(with));
                is_for_all = !begins("host=") && !begins("path=");
            }
            let Some((name, _)) = read::pair(line).filter(|(name, _)| is_for_all && is_wanted(name)) else { continue };
            lines.retain(|before| before.name != name);
            lines.push(IniLine { name: name.to_owned(), file: file.to_owned(), line: number, text: line.to_owned() });
        }
    }
    lines
}

#[cfg(test)]
mod tests;
