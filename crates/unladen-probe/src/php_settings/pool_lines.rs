//! The principal type is [`PoolLine`]: a line of php-fpm's own files by which a pool sets something of PHP's.
//!
//! `php-fpm -tt` reports what a pool sets, but not where. The files are read here as php-fpm reads them: line by line,
//! with `include` in place, so that lines belong to the pool named last before them.

use std::path::{Path, PathBuf};

use crate::php_settings::glob::glob;
use crate::php_settings::read::{self, Room};

/// php-fpm's own bound (`ini_recursion` in its fpm_conf.c).
const DEEPEST: usize = 5;
/// Lines kept: more than there are settings.
const MOST_LINES: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PoolLine {
    pub(super) name: String,
    /// Scripts cannot change it; it comes after the others.
    pub(super) is_admin: bool,
    pub(super) file: PathBuf,
    /// From 1.
    pub(super) line: u32,
    pub(super) text: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PoolLines {
    pub(super) lines: Vec<PoolLine>,
    /// The last file that names the pool and in which the pool's section extends to the end, so that an appended line
    /// belongs to the pool.
    pub(super) file: Option<PathBuf>,
}

/// Reads the files. `prefix` is the folder of relative file names. Fails with the reason why a file was not read, since
/// its settings are unknown then.
pub(super) fn pool_lines(config: &Path, prefix: &Path, pool: &str) -> Result<PoolLines, String> {
    let found = PoolLines::default();
    let mut reader = Reader { pool, prefix, is_in: false, named_in: None, found, room: Room::default() };
    reader.read(config, 1)?;
    Ok(reader.found)
}

struct Reader<'a> {
    pool: &'a str,
    prefix: &'a Path,
    is_in: bool,
    named_in: Option<PathBuf>,
    found: PoolLines,
    room: Room,
}

impl Reader<'_> {
    fn read(&mut self, file: &Path, depth: usize) -> Result<(), String> {
        if depth > DEEPEST {
            return Err(format!("{}: it is included by files that include each other", file.display()));
        }
        let text = read::text(file, &mut self.room).map_err(|error| format!("{}: {error}", file.display()))?;
        for (number, line) in (1..).zip(text.lines()) {
            self.line(file, number, line, depth)?;
        }
        if self.named_in.as_deref() == Some(file) {
            self.found.file = self.is_in.then(|| file.to_owned());
        }
        Ok(())
    }

    fn line(&mut self, file: &Path, number: u32, text: &str, depth: usize) -> Result<(), String> {
        if let Some(section) = text.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            self.is_in = section.0.trim().eq_ignore_ascii_case(self.pool);
            if self.is_in {
                self.named_in = Some(file.to_owned());
            }
            return Ok(());
        }
        let Some((key, value)) = read::pair(text) else { return Ok(()) };
        if key == "include" {
            let pattern = self.prefix.join(value);
            let files = glob(&pattern).ok_or_else(|| format!("{}: too many names", pattern.display()))?;
            return files.iter().try_for_each(|file| self.read(file, depth + 1));
        }
        let Some((kind, name)) = key.strip_suffix(']').and_then(|key| key.split_once('[')) else { return Ok(()) };
        let is_admin = match kind.trim_end() {
            "php_admin_value" | "php_admin_flag" => true,
            "php_value" | "php_flag" => false,
            _ => return Ok(()),
        };
        if self.is_in {
            if self.found.lines.len() == MOST_LINES {
                return Err(format!("{}: more than {MOST_LINES} lines that set something", file.display()));
            }
            self.found.lines.push(PoolLine {
                name: name.trim().to_owned(),
                is_admin,
                file: file.to_owned(),
                line: number,
                text: text.to_owned(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
