//! The principal type is [`PhpSettings`]: what the PHP of a process says of itself.
//!
//! The process's own executable is asked with `-i`, and `php-fpm` with `-tt` for what its pools change. Three things
//! make that less than the truth, and [`PhpSettings::doubts`] says so where it can be told:
//!
//! - php-fpm overwrites its arguments and its environment with its title. The environment is still found in its memory;
//!   its arguments are not. So what `-i` says of the files read is compared with what the process's memory says.
//! - Workers keep the settings with which their master was started, whatever has been written to the files since.
//! - `.user.ini`, `ini_set` and `fastcgi_param PHP_VALUE` change settings by request.
//!
//! PHP as a part of another server (Apache's module) cannot be asked: the command line's PHP of the same version is made
//! to read its files ([`Module`](module::Module)). What is then said counts only if the server's memory has these files.
//!
//! Asking starts PHP: its extensions are loaded, as by any `php-fpm -t`. Neither the script of `opcache.preload` is
//! run, nor does Xdebug begin a profile.

mod ask;
mod error;
mod glob;
mod heap;
mod ini_lines;
mod module;
mod phpinfo;
mod pool;
mod pool_lines;
mod process;
mod read;
mod set_again;
mod user;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use unladen_trace::{PhpSetAgain, PhpSettings as Seen};

use self::ask::ask;
use self::module::{Module, OF_THE_COMMAND_LINE};
use self::phpinfo::PhpInfo;
use self::pool_lines::pool_lines;
use self::process::{Php, XDEBUG_MODE};
use self::set_again::real;
use self::user::User;

pub use self::ask::AskError;
pub use self::error::PhpSettingsError;

/// Options under which asking does no harm: nothing is preloaded, and Xdebug does not begin by itself.
const HARMLESS: [&str; 4] = ["-d", "opcache.preload=", "-d", "xdebug.start_with_request=no"];
/// What these change is not known.
const CHANGED_BY_ASKING: [&str; 2] = ["opcache.preload", "xdebug.start_with_request"];

/// What a PHP says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhpSettings {
    /// The executable that was asked.
    pub exe: PathBuf,
    /// `FPM/FastCGI`
    pub sapi: String,
    /// The main settings file; empty if there is none.
    pub ini: String,
    /// The folder of further ones; empty if there is none. Several are set apart by colons; one without a name is that
    /// which PHP was built with.
    pub ini_folder: String,
    /// The further files that were read.
    pub ini_files: Vec<String>,
    /// The file of php-fpm's own settings; empty for other kinds of PHP.
    pub fpm_config: String,
    /// The pool whose settings are in [`settings`](Self::settings); empty if there is none, or it is not known which.
    pub pool: String,
    /// The file at whose end a line is added to that pool; empty if there is none, or it is not known which.
    pub pool_file: String,
    /// Extensions loaded, as they call themselves: `Zend OPcache`, `xdebug`.
    pub extensions: Vec<String>,
    /// `opcache.enable` → `On`, as PHP writes it; empty for what has no value. Only those that bear upon performance,
    /// and no passwords.
    pub settings: BTreeMap<String, String>,
    /// What sets some of them again, after the file into which a fix is written.
    pub set_again: Vec<PhpSetAgain>,
    /// Why it is not known what its pool sets; none: it is known.
    pub pool_unknown: Option<String>,
    /// Why the workers' settings may be other than these.
    pub doubts: Vec<String>,
}

impl PhpSettings {
    /// Asks the PHP of this process: a worker or the master of php-fpm, a php-cgi, or a php of the command line. Of a
    /// worker, its pool's settings are in it. It takes some tens of ms, at most some 15 s.
    ///
    /// # Errors
    /// [`PhpSettingsError`] says why it cannot be asked, and what to do.
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
                .map_err(|why| format!("what its pool sets is not known: {why}"))
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
        let set_again = set_again::set_again(&php, &info, of_pool.as_ref().map(|(pool, lines)| (*pool, lines)));
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

    /// Whether a process has PHP as a part of it: Apache with its module.
    pub fn are_within(pid: i32) -> bool {
        Module::is_within(&Path::new("/proc").join(pid.to_string()))
    }

    /// A setting that is on or off; `None` if it is not known.
    pub fn is_on(&self, name: &str) -> Option<bool> {
        self.settings.get(name).map(|value| Seen::reads_as_on(value))
    }
}

/// Asks as the workers' user. If that one cannot read all the files that the master read, as the master's.
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

/// Whether the files that it names are those that the process has in its memory.
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
            let files = "it was started before those came that are there now, or has a PHPIniDir of its own";
            Some(format!("not those that {} reads by itself ({}): {files}", php.exe.display(), info.ini))
        }
        Ok(_) => Some(
            "the running php-fpm has read other settings files: it was started before they came, or with -c or -n"
                .to_owned(),
        ),
        Err(error) => Some(format!("whether the running {name} has read the same files cannot be told: {error}")),
    }
}

/// What the pools change, as the master reads its settings.
fn pools(php: &Php, config: &Path) -> Result<Vec<pool::Pool>, String> {
    let config = config.to_string_lossy();
    let options = php.options.iter().map(String::as_str).chain(HARMLESS).chain(["-tt", "-y", &*config]);
    let output = ask(&php.exe, options, &php.environment, php.master).map_err(|error| error.to_string())?;
    let pools = pool::parse(&output.stderr);
    if pools.is_empty() {
        let last = output.stderr.lines().rfind(|line| line.contains("ERROR")).unwrap_or("it says nothing");
        return Err(format!("{} -tt -y {config}: {last}", php.exe.display()));
    }
    Ok(pools)
}

/// The pool that the process is of; or why that is not known.
fn choose(php: &Php, mut pools: Vec<pool::Pool>) -> Result<pool::Pool, String> {
    let found = match (&php.pool, pools.len()) {
        (Some(name), _) => pools.iter().position(|pool| pool.name == *name),
        (None, 1) => Some(0),
        (None, _) => None,
    };
    found.map(|at| pools.swap_remove(at)).ok_or_else(|| match &php.pool {
        Some(name) => format!("what its pool sets is not known: there is no pool {name} in its file any more"),
        None => format!("what its {} pools set is left out: ask a worker of one", pools.len()),
    })
}

#[cfg(test)]
mod tests;
