//! The principal type is [`Module`]: PHP within another server (Apache's module), which cannot be asked by options.
//!
//! Its settings folders are built into its library. They are found among the library's texts, and the command line's
//! PHP of the same version is asked with these in place of its own; the caller then checks in the server's memory that
//! these files were read.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::php_settings::error::PhpSettingsError;

/// Prefix of the library's name: `libphp8.2.so` (Debian), `libphp.so`, `libphp7.so`.
const LIBRARY: &str = "libphp";
const VERSION: &[u8] = b"X-Powered-By: PHP/";
/// Debian's has 6 MB, one with all extensions within some 20.
const MAX_LIBRARY: u64 = 128 << 20;
const MAX_PATH: usize = 256;
const MOST_PATHS: usize = 10_000;
const SCAN: &str = "PHP_INI_SCAN_DIR";
/// Settings that the command line's PHP fixes, whatever the files say.
pub(super) const OF_THE_COMMAND_LINE: [&str; 3] = ["max_execution_time", "opcache.enable_cli", "output_buffering"];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Module {
    pub(super) version: String,
    ini: Option<PathBuf>,
    ini_folder: Option<PathBuf>,
}

impl Module {
    pub(super) fn is_within(folder: &Path) -> bool {
        mapped(folder).is_ok_and(|range| range.is_some())
    }

    pub(super) fn of(folder: &Path) -> io::Result<Option<Self>> {
        let Some((range, path)) = mapped(folder)? else { return Ok(None) };
        // The mapped file, even if its name now belongs to another; without the right to that, the file of this name.
        let file = File::open(folder.join("map_files").join(range)).or_else(|_| File::open(path))?;
        let mut library = Vec::new();
        file.take(MAX_LIBRARY).read_to_end(&mut library)?;
        Ok(Self::read(&library))
    }

    fn read(library: &[u8]) -> Option<Self> {
        let texts = || library.split(|byte| *byte == 0);
        // The header stands alone or within a longer text.
        let version = texts().find_map(|text| {
            let at = text.windows(VERSION.len()).position(|window| window == VERSION)?;
            let rest = std::str::from_utf8(&text[at + VERSION.len()..]).ok()?;
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            Some(rest[..end].to_owned()).filter(|version| !version.is_empty())
        })?;
        let mut module = Self { version, ini: None, ini_folder: None };
        let paths = texts().filter(|text| text.first() == Some(&b'/') && text.len() <= MAX_PATH);
        for path in paths.filter_map(|text| std::str::from_utf8(text).ok()).map(Path::new).take(MOST_PATHS) {
            if module.ini.is_none() {
                module.ini = Some(path.join("php.ini")).filter(|ini| ini.is_file());
            }
            if module.ini_folder.is_none() && has_settings(path) {
                module.ini_folder = Some(path.to_owned());
            }
        }
        Some(module)
    }

    /// Options that make another PHP read the same files, with the opcode cache switched on as in a server.
    pub(super) fn options(&self) -> Vec<String> {
        let mut options = ["-d", "opcache.enable_cli=1"].map(str::to_owned).to_vec();
        if let Some(ini) = &self.ini {
            options.extend(["-c".to_owned(), ini.to_string_lossy().into_owned()]);
        }
        options
    }

    /// Adds the variable that names the folder, unless the server has one.
    pub(super) fn folder_for(&self, environment: &mut Vec<(String, OsString)>) {
        if let Some(folder) = self.ini_folder.as_ref().filter(|_| environment.iter().all(|(name, _)| name != SCAN)) {
            environment.push((SCAN.to_owned(), folder.clone().into_os_string()));
        }
    }

    /// The command line's PHP by its usual names; it reports its version itself.
    pub(super) fn asked(&self, pid: i32) -> Result<PathBuf, PhpSettingsError> {
        let mut parts = self.version.split('.');
        let minor = [parts.next(), parts.next()].map(Option::unwrap_or_default).join(".");
        let names = [format!("/usr/bin/php{minor}"), "/usr/bin/php".to_owned(), "/usr/local/bin/php".to_owned()];
        let found = names.into_iter().map(PathBuf::from).find(|file| file.is_file());
        found.ok_or_else(|| PhpSettingsError::NoCommandLine { pid, version: self.version.clone() })
    }
}

/// The mapping's name in /proc/PID/map_files, and the path of the mapped library.
fn mapped(folder: &Path) -> io::Result<Option<(String, PathBuf)>> {
    let maps = fs::read_to_string(folder.join("maps"))?;
    Ok(maps.lines().find_map(|line| {
        let path = Path::new(line.get(line.find('/')?..)?.trim_end_matches(" (deleted)"));
        let name = path.file_name()?.to_str()?;
        let is_one = name.starts_with(LIBRARY) && name.split_once(".so").is_some();
        is_one.then(|| Some((line.split_whitespace().next()?.to_owned(), path.to_owned()))).flatten()
    }))
}

/// Whether a folder contains settings files; packagers call it `conf.d` or `php.d`, since beside php.ini (Fedora: in
/// /etc) lie unrelated files. It must be root's or ours, as fixes are written into it.
fn has_settings(folder: &Path) -> bool {
    let we = nix::unistd::geteuid().as_raw();
    let is_called_so = folder.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(b".d"));
    let is_roots = || fs::metadata(folder).is_ok_and(|of| of.is_dir() && [0, we].contains(&of.uid()));
    let is_one = |entry: fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "ini");
    is_called_so && is_roots() && fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(is_one))
}

#[cfg(test)]
mod tests;
