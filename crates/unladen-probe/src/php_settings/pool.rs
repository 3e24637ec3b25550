//! The principal type is [`Pool`]: what a pool of php-fpm sets over the settings files; [`pool_lines`] finds
//! where.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use unladen_trace::PhpSettings;

use crate::php_settings::phpinfo::{is_wanted, without_password};
use crate::php_settings::read::{self, Room, glob, pair};

/// Read when the master starts, before pools exist: shared memory is allocated by then.
const SET_AT_START: [&str; 10] = [
    "opcache.file_cache",
    "opcache.huge_code_pages",
    "opcache.interned_strings_buffer",
    "opcache.jit_buffer_size",
    "opcache.lockfile_path",
    "opcache.max_accelerated_files",
    "opcache.memory_consumption",
    "opcache.preload",
    "opcache.preload_user",
    "opcache.preferred_memory_model",
];

/// Any source can switch it off; it is on only if none does.
pub(super) const ONLY_OFF: &str = "opcache.enable";

/// A pool and its settings, `php_value` and `php_admin_value`, flags included.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pool {
    pub(super) name: String,
    values: BTreeMap<String, String>,
    /// Scripts cannot change these; they come after the others.
    admin: BTreeMap<String, String>,
}

impl Pool {
    pub(super) fn apply(&self, settings: &mut BTreeMap<String, String>) {
        for (name, value) in self.effective() {
            settings.insert(name.clone(), without_password(value));
        }
    }

    pub(super) fn sets(&self) -> BTreeMap<&str, bool> {
        self.effective().map(|(name, _)| (name.as_str(), self.admin.contains_key(name))).collect()
    }

    /// Its wanted changes that take effect; the last of a name wins.
    fn effective(&self) -> impl Iterator<Item = (&String, &String)> {
        self.values.iter().chain(&self.admin).filter(|(name, value)| {
            let too_late = SET_AT_START.contains(&name.as_str())
                // It can be switched off later, but not on.
                || *name == ONLY_OFF && PhpSettings::reads_as_on(value);
            is_wanted(name) && !too_late
        })
    }
}

pub(super) fn parse(log: &str) -> Vec<Pool> {
    let mut pools: Vec<Pool> = Vec::new();
    let mut in_pool = false;
    for line in log.lines() {
        let Some((_, line)) = line.split_once("NOTICE:") else { continue };
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            in_pool = name != "global";
            if in_pool {
                pools.push(Pool { name: name.to_owned(), ..Pool::default() });
            }
            continue;
        }
        let Some(pool) = pools.last_mut().filter(|_| in_pool) else { continue };
        let Some((key, value)) = line.split_once(" = ").or_else(|| Some((line.strip_suffix(" =")?, ""))) else {
            continue;
        };
        let Some((kind, name)) = key.strip_suffix(']').and_then(|key| key.split_once('[')) else { continue };
        match kind {
            "php_value" | "php_flag" => pool.values.insert(name.to_owned(), value.to_owned()),
            "php_admin_value" | "php_admin_flag" => pool.admin.insert(name.to_owned(), value.to_owned()),
            _ => None,
        };
    }
    pools
}

// `php-fpm -tt` reports what a pool sets, but not where. The files are read here as php-fpm reads them: line by line,
// with `include` in place, so that lines belong to the pool named last before them.

/// php-fpm's own bound (`ini_recursion` in its fpm_conf.c).
const DEEPEST: usize = 5;
/// Lines kept: more than there are settings.
const MOST_LINES: usize = 2_000;

/// A line of php-fpm's own files by which a pool sets something of PHP's.
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
        let Some((key, value)) = pair(text) else { return Ok(()) };
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
