//! The principal type is [`Php`]: a process of PHP, or of a server with PHP within ([`Module`]), and how it was started
//! as far as that can still be found out.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::php_settings::ask::{PhpSettingsError, User};
use crate::php_settings::heap;
use crate::php_settings::phpinfo::{PhpInfo, is_wanted};

/// Variables that locate PHP's settings; Xdebug's precedes its settings.
const VARIABLES: [&str; 3] = ["PHPRC", "PHP_INI_SCAN_DIR", XDEBUG_MODE];
pub(super) const XDEBUG_MODE: &str = "XDEBUG_MODE";

/// Titles of php-fpm's master, up to its settings file, and of its workers, up to the pool.
const MASTER: &str = "php-fpm: master process (";
const WORKER: &str = "php-fpm: pool ";

#[derive(Debug)]
pub(super) struct Php {
    proc: PathBuf,
    /// The master, or the process itself if there is none.
    pid: i32,
    pub(super) exe: PathBuf,
    pub(super) module: Option<Module>,
    pub(super) options: Vec<String>,
    pub(super) environment: Vec<(String, OsString)>,
    pub(super) fpm_config: Option<PathBuf>,
    pub(super) pool: Option<String>,
    /// `None` if it is our own.
    worker: Option<User>,
    /// `None` if it is our own.
    pub(super) master: Option<User>,
    arguments: Vec<String>,
    pub(super) doubts: Vec<String>,
}

impl Php {
    pub(super) fn look(proc: &Path, pid: i32) -> Result<Self, PhpSettingsError> {
        let of = |pid: i32| proc.join(pid.to_string());
        let failed = |pid: i32| {
            move |error: io::Error| match error.kind() {
                io::ErrorKind::PermissionDenied => PhpSettingsError::Denied { pid },
                _ => PhpSettingsError::Gone { pid },
            }
        };
        let exe = fs::read_link(of(pid).join("exe")).map_err(failed(pid))?;
        let known = ["php-fpm", "php-cgi", "php"];
        let file = exe.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let plain = file.trim_end_matches(" (deleted)").trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_within = !known.contains(&plain) && Module::is_within(&of(pid));
        if !known.contains(&plain) && !is_within {
            return Err(PhpSettingsError::NotPhp { pid, exe });
        }
        let (user, parent) = status(&of(pid)).map_err(failed(pid))?;
        let mut arguments = arguments(&of(pid)).map_err(failed(pid))?;
        let pool = arguments.first().and_then(|title| Some(title.strip_prefix(WORKER)?.trim_end().to_owned()));
        let of_worker = pid;
        let (mut pid, mut master, mut worker) = (pid, user, user);
        if pool.is_some() {
            // A worker may have another root and no rights; its settings were read by its master.
            pid = parent;
            // Any child of a root process may take this title; a real worker runs its master's file.
            let running = |pid| fs::metadata(of(pid).join("exe")).map(|file| (file.dev(), file.ino()));
            if running(of_worker).map_err(failed(of_worker))? != running(parent).map_err(failed(parent))? {
                return Err(PhpSettingsError::Replaced { pid: of_worker, exe });
            }
            arguments = self::arguments(&of(pid)).map_err(failed(pid))?;
            master = status(&of(pid)).map_err(failed(pid))?.0;
        } else if let Some(child) =
            first_child(&of(pid)).filter(|child| fs::read_link(of(*child).join("exe")).ok().as_ref() == Some(&exe))
        {
            worker = status(&of(child)).map_or(user, |(user, _)| user);
        }

        let root = fs::metadata(of(pid).join("root/")).map_err(failed(pid))?;
        let ours = fs::metadata("/").map_err(failed(pid))?;
        if (root.dev(), root.ino()) != (ours.dev(), ours.ino()) {
            return Err(PhpSettingsError::Container { pid });
        }
        // Through the link, it is the running file, whatever has its name now.
        let running = fs::metadata(of(pid).join("exe")).map_err(failed(pid))?;
        let is_same = |named: &fs::Metadata| (named.dev(), named.ino()) == (running.dev(), running.ino());
        // A server that contains PHP is not itself asked.
        if !is_within && !fs::metadata(&exe).as_ref().is_ok_and(is_same) {
            return Err(PhpSettingsError::Replaced { pid, exe });
        }

        let module = match is_within {
            true => Some(Module::of(&of(pid)).map_err(failed(pid))?.ok_or(PhpSettingsError::Unread { pid })?),
            false => None,
        };
        let title =
            arguments.first().and_then(|title| title.strip_prefix(MASTER)?.rsplit_once(')')).map(|(config, _)| config);
        let fpm_config = title.map(|config| folder_of(&of(pid)).join(config));
        let (mut environment, doubts) = environment(&of(pid), fpm_config.is_some());
        if let Some(module) = &module {
            module.folder_for(&mut environment);
        }
        let exe = module.as_ref().map_or(Ok(exe), |module| module.asked(pid))?;
        let we = nix::unistd::geteuid().as_raw();
        let other = |user: User| (we == 0 && user.uid != we).then_some(user);
        Ok(Self {
            proc: proc.to_owned(),
            pid,
            exe,
            options: match (&fpm_config, &module) {
                (Some(_), _) => kept_options(&of(pid)),
                // Apache's own options mean something else.
                (None, Some(_)) => Vec::new(),
                (None, None) => options(&arguments),
            },
            module,
            environment,
            fpm_config,
            pool,
            worker: other(worker),
            master: other(master),
            arguments,
            doubts,
        })
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.proc.join(self.pid.to_string())
    }

    pub(super) fn set_by_options(&self) -> Vec<(String, String)> {
        let after = self.options.iter().skip(1).map(Some).chain([None]);
        let pairs = self.options.iter().zip(after).filter_map(|(option, next)| match option.strip_prefix("-d")? {
            "" => next.map(String::as_str),
            joined => Some(joined),
        });
        pairs.map(|pair| (pair.split('=').next().unwrap_or(pair).trim().to_owned(), format!("-d {pair}"))).collect()
    }

    pub(super) fn is_of_version(&self, info: PhpInfo) -> Result<PhpInfo, PhpSettingsError> {
        let other = self.module.as_ref().filter(|module| module.version != info.version);
        other.map_or(Ok(()), |module| {
            let (version, other) = (module.version.clone(), info.version.clone());
            Err(PhpSettingsError::OtherVersion { pid: self.pid, version, exe: self.exe.clone(), other })
        })?;
        Ok(info)
    }

    /// Folder of php-fpm's relative file names: the prefix it was built for, taken from where it is installed.
    pub(super) fn prefix(&self) -> PathBuf {
        self.exe.parent().and_then(Path::parent).unwrap_or(Path::new("/")).to_owned()
    }

    /// Users to ask as, the least privileged first. Fails if only root would do, and others can change the file.
    pub(super) fn users(&self) -> Result<Vec<User>, PhpSettingsError> {
        let ours = User { uid: nix::unistd::geteuid().as_raw(), gid: nix::unistd::getegid().as_raw() };
        let mut users = vec![self.worker.unwrap_or(ours), self.master.unwrap_or(ours)];
        users.dedup();
        // Root runs nothing that another user can replace.
        users.retain(|user| user.uid != 0 || is_roots(&self.exe));
        let refused = || PhpSettingsError::NotRoots { pid: self.pid, exe: self.exe.clone() };
        if users.is_empty() { Err(refused()) } else { Ok(users) }
    }

    /// Whether it is a `php` that runs a script, for which opcache has a separate switch. `php -S` serves pages.
    pub(super) fn is_command_line(&self) -> bool {
        if self.module.is_some() {
            return false;
        }
        let file = self.exe.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        !file.starts_with("php-") && !self.arguments.iter().any(|argument| argument.starts_with("-S"))
    }
}

fn is_roots(path: &Path) -> bool {
    let is_roots = |path: &Path| {
        fs::symlink_metadata(path).is_ok_and(|file| {
            let is_open = file.mode() & 0o022 != 0 && !file.is_symlink();
            file.uid() == 0 && !is_open
        })
    };
    path.is_absolute()
        && path.ancestors().all(is_roots)
        && fs::canonicalize(path).is_ok_and(|path| path.ancestors().all(is_roots))
}

fn status(folder: &Path) -> io::Result<(User, i32)> {
    let text = fs::read_to_string(folder.join("status"))?;
    let field = |name: &str, column: usize| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().nth(column)?.parse::<u32>().ok()
    };
    let parsed =
        || Some((User { uid: field("Uid:", 1)?, gid: field("Gid:", 1)? }, i32::try_from(field("PPid:", 0)?).ok()?));
    parsed().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "status without Uid, Gid and PPid"))
}

fn arguments(folder: &Path) -> io::Result<Vec<String>> {
    let text = fs::read(folder.join("cmdline"))?;
    let arguments = text.split(|byte| *byte == 0).map(|argument| String::from_utf8_lossy(argument).into_owned());
    let mut arguments: Vec<_> = arguments.collect();
    while arguments.last().is_some_and(String::is_empty) {
        arguments.pop();
    }
    Ok(arguments)
}

fn first_child(folder: &Path) -> Option<i32> {
    let pid = folder.file_name()?;
    fs::read_to_string(folder.join("task").join(pid).join("children")).ok()?.split_whitespace().next()?.parse().ok()
}

fn folder_of(folder: &Path) -> PathBuf {
    fs::read_link(folder.join("cwd")).unwrap_or_else(|_| PathBuf::from("/"))
}

fn environment(folder: &Path, is_fpm: bool) -> (Vec<(String, OsString)>, Vec<String>) {
    let unknown = |error: io::Error| {
        let doubt = format!("its environment cannot be read, so PHP_INI_SCAN_DIR and PHPRC are not known: {error}");
        (Vec::new(), vec![doubt])
    };
    let text = match fs::read(folder.join("environ")) {
        Ok(text) => text,
        Err(error) => return unknown(error),
    };
    let pairs = || {
        text.split(|byte| *byte == 0)
            .filter_map(|pair| Some(pair.split_at(pair.iter().position(|byte| *byte == b'=')?)))
    };
    let known = |(given, value): (&[u8], &[u8])| {
        let name = VARIABLES.into_iter().find(|name| name.as_bytes() == given)?;
        Some((name.to_owned(), OsString::from_vec(value[1..].to_vec())))
    };
    if !is_fpm || pairs().any(|(name, _)| name == b"PATH") {
        return (pairs().filter_map(known).collect(), Vec::new());
    }
    // Overwritten by its title; it keeps a copy in its heap.
    let names = VARIABLES.map(|name| format!("{name}="));
    match heap::find(folder, &names.each_ref().map(String::as_bytes)) {
        Ok(found) => {
            let pairs = VARIABLES.into_iter().zip(found).filter_map(|(name, value)| Some((name, value?)));
            (pairs.map(|(name, value)| (name.to_owned(), OsStr::from_bytes(&value).to_owned())).collect(), Vec::new())
        }
        Err(error) => unknown(error),
    }
}

/// Options given to php-fpm by `-d`. Its title overwrites its arguments; it keeps copies to restart itself on reload.
fn kept_options(folder: &Path) -> Vec<String> {
    let is_one = |word: &str| word.split_once('=').is_some_and(|(name, _)| is_wanted(name.trim_start_matches("-d")));
    // Without them less is known, but no doubt is added: unreadable memory is already reported with its environment.
    let words = heap::words(folder, is_one).unwrap_or_default();
    words.iter().flat_map(|word| ["-d".to_owned(), word.trim_start_matches("-d").to_owned()]).collect()
}

/// `-c`, `-n` and `-d` with their values, up to the script, whose options are its own.
fn options(arguments: &[String]) -> Vec<String> {
    let mut options = Vec::new();
    let mut arguments = arguments.iter().skip(1);
    while let Some(argument) = arguments.next() {
        let mut letters = argument.strip_prefix('-').unwrap_or_default().chars();
        match (letters.next(), letters.as_str()) {
            (Some('n'), "") => options.push(argument.clone()),
            (Some('c' | 'd'), "") => {
                let Some(value) = arguments.next() else { break };
                options.extend([argument.clone(), value.clone()]);
            }
            (Some('c' | 'd'), _) => options.push(argument.clone()),
            // These take a value too.
            (Some('b' | 'f' | 'S' | 't' | 'y' | 'g' | 'p' | 'z'), "") => drop(arguments.next()),
            (Some(_), _) if argument != "--" => {}
            _ => break,
        }
    }
    options
}

// Its settings folders are built into its library. They are found among the library's texts, and the command line's
// PHP of the same version is asked with these in place of its own; the caller then checks in the server's memory that
// these files were read.

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

/// PHP within another server (Apache's module), which cannot be asked by options.
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
