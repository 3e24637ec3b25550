//! The principal type is [`PhpSettings`]: what the PHP of a process reports about itself.
//!
//! The process's own executable is run with `-i`, and `php-fpm` with `-tt` for what its pools change. Three things can
//! make the answer differ from the truth, and [`PhpSettings::doubts`] reports them where possible:
//!
//! - php-fpm overwrites its arguments and its environment with its title. The environment is still found in its memory;
//!   its arguments are not. So the files that `-i` lists are compared with those in the process's memory.
//! - Workers keep the settings with which their master was started, whatever was written to the files since.
//! - `.user.ini`, `ini_set` and `fastcgi_param PHP_VALUE` change settings by request.
//!
//! PHP within another server (Apache's module) cannot be asked: the command line's PHP of the same version is made to
//! read its files ([`Module`](process::Module)), and its answer counts only if the server's memory names these files.
//!
//! Asking starts PHP and loads its extensions, as any `php-fpm -t` does, but neither runs the script of
//! `opcache.preload` nor lets Xdebug begin a profile.

mod ask;
mod heap;
mod phpinfo;
mod pool;
mod process;
mod read;

pub use ask::{AskError, PhpSettingsError};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use unladen_trace::{PHP_FILE, PhpSetAgain, PhpSetter, PhpSettings as Seen, without_secrets};

use ask::{User, ask};
use phpinfo::{PhpInfo, is_wanted, without_password};
use pool::{ONLY_OFF, Pool, PoolLines, pool_lines};
use process::{Module, OF_THE_COMMAND_LINE, Php, XDEBUG_MODE};
use read::{ini_lines, pair};

/// Options that make asking harmless: nothing is preloaded, and Xdebug does not start by itself.
const HARMLESS: [&str; 4] = ["-d", "opcache.preload=", "-d", "xdebug.start_with_request=no"];
/// Settings that these options change, so their value stays unknown.
const CHANGED_BY_ASKING: [&str; 2] = ["opcache.preload", "xdebug.start_with_request"];

/// What a PHP reports about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhpSettings {
    pub exe: PathBuf,
    /// `FPM/FastCGI`
    pub sapi: String,
    /// Main settings file; empty if there is none.
    pub ini: String,
    /// Folder of further settings files; empty if there is none. Colons separate several; an empty name is the built-in
    /// one.
    pub ini_folder: String,
    pub ini_files: Vec<String>,
    /// php-fpm's own settings file; empty for other kinds of PHP.
    pub fpm_config: String,
    /// The pool whose settings are in [`settings`](Self::settings); empty if none or unknown.
    pub pool: String,
    /// The file to which lines for that pool can be appended; empty if none or unknown.
    pub pool_file: String,
    /// Names of loaded extensions as they report them: `Zend OPcache`, `xdebug`.
    pub extensions: Vec<String>,
    /// `opcache.enable` → `On`, as PHP writes it; empty without a value. Only settings relevant to performance, without
    /// passwords.
    pub settings: BTreeMap<String, String>,
    /// Overrides that apply after the file into which a fix is written.
    pub set_again: Vec<PhpSetAgain>,
    /// Why the pool's settings are unknown; `None` if they are known.
    pub pool_unknown: Option<String>,
    /// Why the workers' settings may differ.
    pub doubts: Vec<String>,
}

impl PhpSettings {
    /// Asks the PHP of this process: a worker (with its pool's settings) or the master of php-fpm, a php-cgi, or a
    /// command-line php. Takes some tens of ms, at most some 15 s. [`PhpSettingsError`] says why it cannot be asked,
    /// and what to do.
    pub fn of(pid: i32) -> Result<Self, PhpSettingsError> {
        let php = Php::look(Path::new("/proc"), pid)?;
        let mut doubts = php.doubts.clone();
        let info = info(&php)?;
        let mut settings = info.settings();
        if let Some(why) = unconfirmed(&php, &info) {
            if php.module.is_some() {
                return Err(PhpSettingsError::OtherFiles { pid, why });
            }
            doubts.push(why);
        }
        if php.module.is_some() {
            OF_THE_COMMAND_LINE.iter().for_each(|name| drop(settings.remove(*name)));
        }
        CHANGED_BY_ASKING.iter().for_each(|name| drop(settings.remove(*name)));
        let mode = php.environment.iter().find(|(name, value)| name == XDEBUG_MODE && !value.is_empty());
        if let (Some(setting), Some((_, mode))) = (settings.get_mut("xdebug.mode"), mode) {
            *setting = mode.to_string_lossy().into_owned();
        }
        if php.is_command_line() && settings.get("opcache.enable_cli").is_some_and(|value| !Seen::reads_as_on(value)) {
            settings.insert("opcache.enable".to_owned(), "Off".to_owned());
        } else if let Some(why) = info.opcache_failure() {
            doubts.push(format!("opcache did not start when asked: {why}"));
        }
        let chosen = match &php.fpm_config {
            Some(config) => pools(&php, config)
                .map_err(|why| format!("its pool's settings are not known: {why}"))
                .and_then(|pools| choose(&php, pools))
                .map(Some),
            None => Ok(None),
        };
        let pool_unknown = chosen.as_ref().err().cloned();
        doubts.extend(pool_unknown.clone());
        let pool = chosen.ok().flatten();
        if let Some(pool) = &pool {
            pool.apply(&mut settings);
        }
        let of_pool = pool.as_ref().zip(php.fpm_config.as_deref());
        let of_pool = of_pool.map(|(pool, config)| (pool, pool_lines(config, &php.prefix(), &pool.name)));
        let set_again = set_again(&php, &info, of_pool.as_ref().map(|(pool, lines)| (*pool, lines)));
        let pool_file = of_pool.and_then(|(_, lines)| lines.ok()?.file).map(|file| real(&file)).unwrap_or_default();
        Ok(Self {
            exe: php.exe,
            sapi: info.sapi,
            ini: info.ini,
            ini_folder: info.ini_folder,
            ini_files: info
                .ini_files
                .split([',', '\n'])
                .map(str::trim)
                .filter(|file| !file.is_empty())
                .map(str::to_owned)
                .collect(),
            fpm_config: php.fpm_config.map(|config| config.to_string_lossy().into_owned()).unwrap_or_default(),
            pool: pool.map(|pool| pool.name).unwrap_or_default(),
            pool_file,
            extensions: info.extensions,
            settings,
            set_again,
            pool_unknown,
            doubts,
        })
    }

    /// Whether a process contains PHP as a module, as Apache does.
    pub fn are_within(pid: i32) -> bool {
        Module::is_within(&Path::new("/proc").join(pid.to_string()))
    }

    /// A setting that is on or off; `None` if unknown.
    pub fn is_on(&self, name: &str) -> Option<bool> {
        self.settings.get(name).map(|value| Seen::reads_as_on(value))
    }
}

/// Asks as the workers' user; if that cannot read all files that the master read, as the master's.
fn info(php: &Php) -> Result<PhpInfo, PhpSettingsError> {
    let asked = |user: Option<User>| {
        let within = php.module.as_ref().map(Module::options).unwrap_or_default();
        let options = php.options.iter().chain(&within).map(String::as_str).chain(HARMLESS).chain(["-i"]);
        ask(&php.exe, options, &php.environment, user)
            .map(|output| PhpInfo::parse(&output.stdout))
            .map_err(|source| PhpSettingsError::Ask { exe: php.exe.clone(), source })
    };
    let users = php.users()?;
    let mut info = asked(users.first().copied());
    for user in users.iter().skip(1).copied() {
        if info.as_ref().is_ok_and(PhpInfo::is_complete) {
            break;
        }
        info = asked(Some(user));
    }
    info.and_then(|info| match info.sapi.is_empty() {
        true => Err(PhpSettingsError::Silent { exe: php.exe.clone() }),
        false => php.is_of_version(info),
    })
}

/// Checks that the files it lists are those in the process's memory; returns the doubt if not.
fn unconfirmed(php: &Php, info: &PhpInfo) -> Option<String> {
    if php.fpm_config.is_none() && php.module.is_none() {
        return None;
    }
    let name = if php.module.is_some() { "server" } else { "php-fpm" };
    let named = [&info.ini, &info.ini_files].map(|text| text.as_bytes());
    let named: Vec<&[u8]> = named.into_iter().filter(|text| !text.is_empty()).collect();
    match heap::find(&php.folder(), &named) {
        Ok(found) if found.iter().all(Option::is_some) => None,
        Ok(_) if php.module.is_some() => {
            let files = "it was started before the present files were added, or has its own PHPIniDir";
            Some(format!("not the files that {} reads by default ({}): {files}", php.exe.display(), info.ini))
        }
        Ok(_) => Some(
            "the running php-fpm has read other settings files: it was started before these were added, or with -c or \
             -n"
            .to_owned(),
        ),
        Err(error) => Some(format!("it is not known whether the running {name} has read the same files: {error}")),
    }
}

fn pools(php: &Php, config: &Path) -> Result<Vec<Pool>, String> {
    let config = config.to_string_lossy();
    let options = php.options.iter().map(String::as_str).chain(HARMLESS).chain(["-tt", "-y", &*config]);
    let output = ask(&php.exe, options, &php.environment, php.master).map_err(|error| error.to_string())?;
    let pools = pool::parse(&output.stderr);
    if pools.is_empty() {
        let last = output.stderr.lines().rfind(|line| line.contains("ERROR")).unwrap_or("it prints nothing");
        return Err(format!("{} -tt -y {config}: {last}", php.exe.display()));
    }
    Ok(pools)
}

fn choose(php: &Php, mut pools: Vec<Pool>) -> Result<Pool, String> {
    let found = match (&php.pool, pools.len()) {
        (Some(name), _) => pools.iter().position(|pool| pool.name == *name),
        (None, 1) => Some(0),
        (None, _) => None,
    };
    found.map(|at| pools.swap_remove(at)).ok_or_else(|| match &php.pool {
        Some(name) => format!("its pool's settings are not known: there is no pool {name} in its file any more"),
        None => format!("the settings of its {} pools are left out: ask a worker of one pool", pools.len()),
    })
}

// PHP reads its main file, then the folder of further ones in the order of their names, then `-d` of its command line;
// a pool of php-fpm applies its own in each worker, after all of these. Xdebug reads its environment last.

const MAX_LINE: usize = 1_000;

/// All overrides. For each name, the one that takes effect; for a setting that can only be switched off, all that
/// switch it off. The pool comes with what its files say, or why they were not read.
fn set_again(php: &Php, info: &PhpInfo, pool: Option<(&Pool, &Result<PoolLines, String>)>) -> Vec<PhpSetAgain> {
    let in_files = info.settings();
    let mut all: Vec<PhpSetAgain> = Vec::new();
    let mut add = |names: &[&str], places: Vec<PhpSetAgain>| {
        all.retain(|place| place.name == ONLY_OFF || !names.contains(&place.name.as_str()));
        all.extend(places);
    };
    let later = later_files(&info.ini_folder, &info.ini_files);
    let lines = ini_lines(later.iter().map(PathBuf::as_path), is_wanted);
    let counts = |name: &str, value: &str| name != ONLY_OFF || !Seen::reads_as_on(value);
    for line in lines.into_iter().filter(|line| counts(&line.name, pair(&line.text).unwrap_or_default().1)) {
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
    if found.is_empty() { unknown("no file that php-fpm includes has a line for it".to_owned()) } else { found }
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
fn real(file: &Path) -> String {
    let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    real.to_str().map(str::to_owned).unwrap_or_default()
}

/// A line safe to show and to write into a command, or nothing if it may hold a password. A tab becomes two blanks: the
/// search for the line takes two for any.
fn kept(text: &str) -> String {
    let text = text.trim_end().replace('\t', "  ");
    let (_, value) = pair(&text).unwrap_or_default();
    let is_secret = without_secrets(&text) != text || without_password(value) != value;
    let is_odd = text.len() > MAX_LINE || text.contains(|c: char| c.is_control() || c == '\u{fffd}');
    if is_secret || is_odd { String::new() } else { text }
}

#[cfg(test)]
mod tests;
