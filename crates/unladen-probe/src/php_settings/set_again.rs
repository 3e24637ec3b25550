//! The principal function is [`set_again`]: what overrides PHP's settings after the file into which a fix is written.
//!
//! PHP reads its main file, then the folder of further ones in the order of their names, then `-d` of its command line;
//! a pool of php-fpm applies its own in each worker, after all of these. Xdebug reads its environment last.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use unladen_trace::{PHP_FILE, PhpSetAgain, PhpSetter, PhpSettings, without_secrets};

use crate::php_settings::ini_lines::ini_lines;
use crate::php_settings::phpinfo::{PhpInfo, is_wanted, without_password};
use crate::php_settings::pool::{ONLY_OFF, Pool};
use crate::php_settings::pool_lines::PoolLines;
use crate::php_settings::process::{Php, XDEBUG_MODE};
use crate::php_settings::read;

const MAX_LINE: usize = 1_000;

/// All overrides. For each name, the one that takes effect; for a setting that can only be switched off, all that
/// switch it off. The pool comes with what its files say, or why they were not read.
pub(super) fn set_again(
    php: &Php,
    info: &PhpInfo,
    pool: Option<(&Pool, &Result<PoolLines, String>)>,
) -> Vec<PhpSetAgain> {
    let in_files = info.settings();
    let mut all: Vec<PhpSetAgain> = Vec::new();
    let mut add = |names: &[&str], places: Vec<PhpSetAgain>| {
        all.retain(|place| place.name == ONLY_OFF || !names.contains(&place.name.as_str()));
        all.extend(places);
    };
    let later = later_files(&info.ini_folder, &info.ini_files);
    let lines = ini_lines(later.iter().map(PathBuf::as_path), is_wanted);
    let counts = |name: &str, value: &str| name != ONLY_OFF || !PhpSettings::reads_as_on(value);
    for line in lines.into_iter().filter(|line| counts(&line.name, read::pair(&line.text).unwrap_or_default().1)) {
        let (file, text) = (real(&line.file), kept(&line.text));
        let place = PhpSetAgain { by: PhpSetter::File, file, line: line.line, text, ..named(&line.name, &in_files) };
        add(&[&line.name], vec![place]);
    }
    let is_set = |(name, words): &(String, String)| {
        // Without a value, it is switched on.
        is_wanted(name) && counts(name, words.split_once('=').map_or("1", |(_, value)| value.trim_matches('"')))
    };
    for (name, words) in php.set_by_options().into_iter().filter(is_set) {
        let place = PhpSetAgain { by: PhpSetter::CommandLine, who: without_secrets(&words), ..named(&name, &in_files) };
        add(&[&name], vec![place]);
    }
    if let Some((name, mode)) = php.environment.iter().find(|(name, value)| name == XDEBUG_MODE && !value.is_empty()) {
        let who = format!("{name}={}", mode.to_string_lossy());
        let place = PhpSetAgain { by: PhpSetter::Environment, who, ..named("xdebug.mode", &in_files) };
        add(&["xdebug.mode"], vec![place]);
    }
    if let Some((pool, lines)) = pool {
        for (name, is_admin) in pool.sets() {
            add(&[name], of_pool(pool, name, is_admin, lines, &in_files));
        }
    }
    all
}

fn of_pool(
    pool: &Pool,
    name: &str,
    is_admin: bool,
    lines: &Result<PoolLines, String>,
    in_files: &BTreeMap<String, String>,
) -> Vec<PhpSetAgain> {
    let of = || PhpSetAgain { by: PhpSetter::Pool, who: pool.name.clone(), ..named(name, in_files) };
    let unknown = |why: String| vec![PhpSetAgain { unknown: Some(why), ..of() }];
    let lines = match lines {
        Ok(of) => of.lines.iter().filter(|line| line.name == name && line.is_admin == is_admin),
        Err(why) => return unknown(why.clone()),
    };
    // Several are read from last to first, which is not guaranteed: the fix changes all.
    let found: Vec<PhpSetAgain> = lines
        .map(|line| PhpSetAgain { file: real(&line.file), line: line.line, text: kept(&line.text), ..of() })
        .collect();
    if found.is_empty() {
        unknown("none of the files that php-fpm includes has a line for it".to_owned())
    } else {
        found
    }
}

fn named(name: &str, in_files: &BTreeMap<String, String>) -> PhpSetAgain {
    PhpSetAgain { name: name.to_owned(), in_files: in_files.get(name).cloned(), ..PhpSetAgain::default() }
}

fn later_files(folders: &str, files: &str) -> Vec<PathBuf> {
    let Some(folder) = folders.rsplit(':').find(|folder| !folder.is_empty()) else { return Vec::new() };
    let folder = Path::new(folder);
    let files = files.split([',', '\n']).map(str::trim).map(PathBuf::from);
    let is_later = |file: &PathBuf| {
        file.parent() == Some(folder)
            && file.file_name().is_some_and(|name| name.as_encoded_bytes() > PHP_FILE.as_bytes())
    };
    files.filter(is_later).collect()
}

/// The file itself: editing a link in place would put a file beside its target.
pub(super) fn real(file: &Path) -> String {
    let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    real.to_str().map(str::to_owned).unwrap_or_default()
}

/// A line safe to show and to write into a command, or nothing if it may hold a password. A tab becomes two blanks: the
/// search for the line takes two for any.
fn kept(text: &str) -> String {
    let text = text.trim_end().replace('\t', "  ");
    let (_, value) = read::pair(&text).unwrap_or_default();
    let is_secret = without_secrets(&text) != text || without_password(value) != value;
    let is_odd = text.len() > MAX_LINE || text.contains(|c: char| c.is_control() || c == '\u{fffd}');
    if is_secret || is_odd { String::new() } else { text }
}

#[cfg(test)]
mod tests;
