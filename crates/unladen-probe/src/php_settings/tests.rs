//! Real processes of PHP, where there are any: these tests start their own, and pass without if it is not installed.

use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use super::*;

/// A php-fpm of its own.
struct Fpm {
    folder: tempfile::TempDir,
    process: Child,
}

impl Fpm {
    /// None if there is no php-fpm on this machine.
    fn start(pools: &[&str], ini: &str) -> Option<Self> {
        Self::start_with(pools, ini, |_, _| {})
    }

    /// One that is started otherwise.
    fn start_with(pools: &[&str], ini: &str, otherwise: impl FnOnce(&mut Command, &Path)) -> Option<Self> {
        let mut found: Vec<_> = fs::read_dir("/usr/sbin").ok()?.flatten().map(|entry| entry.path()).collect();
        found.retain(|path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"php-fpm")));
        let exe = found.into_iter().max()?;
        let folder = tempfile::tempdir().unwrap();
        // Workers are another user, who must be able to read the settings.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let path = folder.path().to_str().unwrap();
        fs::create_dir(folder.path().join("php.d")).unwrap();
        fs::write(folder.path().join("php.d/own.ini"), ini).unwrap();
        let mut config = format!("[global]\ndaemonize = no\nerror_log = {path}/log\n");
        for (number, settings) in pools.iter().enumerate() {
            config += &format!(
                "[pool{number}]\nuser = nobody\nlisten = {path}/{number}.sock\npm = static\npm.max_children = 1\n{settings}\n"
            );
        }
        fs::write(folder.path().join("fpm.conf"), config).unwrap();
        let mut command = Command::new(exe);
        command.args(["-y", &format!("{path}/fpm.conf")]).env("PHP_INI_SCAN_DIR", format!(":{path}/php.d"));
        otherwise(&mut command, folder.path());
        let process = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let fpm = Self { folder, process };
        let until = Instant::now() + Duration::from_secs(20);
        while fpm.workers().len() < pools.len() {
            assert!(Instant::now() < until, "{:?}", fs::read_to_string(fpm.folder.path().join("log")));
            thread::sleep(Duration::from_millis(10));
        }
        Some(fpm)
    }

    fn master(&self) -> i32 {
        i32::try_from(self.process.id()).unwrap()
    }

    /// Those that have got their titles.
    fn workers(&self) -> Vec<i32> {
        let master = self.master();
        let children = fs::read_to_string(format!("/proc/{master}/task/{master}/children")).unwrap_or_default();
        let titled = |pid: &i32| {
            fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|title| title.starts_with("php-fpm: pool "))
        };
        children.split_whitespace().filter_map(|pid| pid.parse().ok()).filter(titled).collect()
    }
}

impl Drop for Fpm {
    /// By its master, which takes its workers with it: one that is ended by itself is replaced at once.
    fn drop(&mut self) {
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(self.master()), nix::sys::signal::Signal::SIGTERM);
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until && matches!(self.process.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_worker_has_the_settings_of_files_environment_and_pool() {
    let pool = "php_admin_value[memory_limit] = 33M\nphp_flag[display_errors] = on\nphp_value[error_reporting] = E_ALL";
    let Some(fpm) = Fpm::start(&[pool], "opcache.revalidate_freq = 7\nmemory_limit = 31M\nopcache.enable_cli = 0\n")
    else {
        return;
    };
    let worker = fpm.workers()[0];
    let settings = PhpSettings::of(worker).unwrap();
    assert_eq!(settings, PhpSettings::of(fpm.master()).unwrap(), "there is but one pool");
    assert_eq!((settings.sapi.as_str(), settings.pool.as_str()), ("FPM/FastCGI", "pool0"));
    let config = fpm.folder.path().join("fpm.conf");
    assert_eq!(settings.fpm_config, config.to_str().unwrap());
    assert_eq!(settings.pool_file, fs::canonicalize(config).unwrap().to_str().unwrap());
    assert_eq!(settings.settings["opcache.revalidate_freq"], "7", "PHP_INI_SCAN_DIR was found: {:?}", settings.doubts);
    assert_eq!(settings.settings["memory_limit"], "33M");
    assert_eq!((settings.is_on("display_errors"), settings.is_on("opcache.enable")), (Some(true), Some(true)));
    assert_eq!(settings.settings["error_reporting"], "32767", "as PHP understands it");
    assert!(settings.extensions.contains(&"Zend OPcache".to_owned()));
    assert!(settings.ini_files.iter().any(|file| file.ends_with("php.d/own.ini")));
    assert_eq!(settings.doubts, [""; 0]);
}

#[test]
fn each_pool_has_its_own_and_the_master_none() {
    let Some(fpm) = Fpm::start(&["php_value[opcache.enable] = 0", ""], "opcache.enable = 1\n") else { return };
    let mut enabled: Vec<_> = fpm
        .workers()
        .into_iter()
        .map(|worker| PhpSettings::of(worker).unwrap())
        .map(|settings| (settings.pool.clone(), settings.is_on("opcache.enable"), settings.pool_file.is_empty()))
        .collect();
    enabled.sort();
    // What is added to their file is the second one's.
    assert_eq!(enabled, [("pool0".to_owned(), Some(false), true), ("pool1".to_owned(), Some(true), false)]);
    let master = PhpSettings::of(fpm.master()).unwrap();
    assert_eq!((master.pool.as_str(), master.is_on("opcache.enable")), ("", Some(true)));
    assert_eq!(master.doubts, ["the settings of its 2 pools are left out: ask a worker of one pool"]);
}

#[test]
fn files_that_came_after_the_start_are_a_doubt() {
    let Some(fpm) = Fpm::start(&[""], "") else { return };
    fs::write(fpm.folder.path().join("php.d/later.ini"), "memory_limit = 1M\n").unwrap();
    let settings = PhpSettings::of(fpm.workers()[0]).unwrap();
    assert_eq!(settings.doubts.len(), 1);
    assert!(
        settings.doubts[0].starts_with("the running php-fpm has read other settings files"),
        "{:?}",
        settings.doubts
    );
}

#[test]
fn settings_that_only_the_master_may_read_are_read() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let Some(fpm) = Fpm::start(&[""], "memory_limit = 31M\n") else { return };
    fs::set_permissions(fpm.folder.path().join("php.d/own.ini"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(PhpSettings::of(fpm.workers()[0]).unwrap().settings["memory_limit"], "31M");
}

#[test]
fn a_script_of_the_command_line_has_no_opcache() {
    let Ok(mut process) = Command::new("php").args(["-d", "memory_limit=34M", "-r", "sleep(60);"]).spawn() else {
        return;
    };
    let pid = i32::try_from(process.id()).unwrap();
    // Until then, it is still this test.
    while matches!(PhpSettings::of(pid), Err(PhpSettingsError::NotPhp { .. })) {
        thread::sleep(Duration::from_millis(10));
    }
    let settings = PhpSettings::of(pid);
    process.kill().unwrap();
    process.wait().unwrap();
    let settings = settings.unwrap();
    assert_eq!((settings.settings["memory_limit"].as_str(), settings.fpm_config.as_str()), ("34M", ""));
    assert_ne!(settings.is_on("opcache.enable"), Some(true));
}

/// Of each that sets a setting again: what, who, and where.
fn told(settings: &PhpSettings) -> Vec<String> {
    let place = |again: &PhpSetAgain| {
        let file = again.file.rsplit('/').next().unwrap_or_default();
        format!("{} by {:?} {} {file}:{} {}", again.name, again.by, again.who, again.line, again.text)
    };
    settings.set_again.iter().map(place).collect()
}

/// Fixes were printed for a file of settings, and the pool's own word, which comes after all files, undid them.
#[test]
fn what_sets_a_setting_again_is_found_with_its_line() {
    let pool = "php_admin_flag[opcache.enable] = off\nphp_admin_value[opcache.memory_consumption] = 64\n\
                php_value[realpath_cache_size] = 1M\nphp_admin_value[realpath_cache_size]= 2M ; why\nphp_value[precision] = 3";
    let Some(fpm) = Fpm::start(&[pool, "php_flag[session.lazy_write] = on"], "session.lazy_write = 0\n") else {
        return;
    };
    let of = |pool: &str| {
        let all = fpm.workers().into_iter().map(|worker| PhpSettings::of(worker).unwrap());
        all.into_iter().find(|settings| settings.pool == pool).unwrap()
    };
    let first = of("pool0");
    assert_eq!(
        told(&first),
        [
            "opcache.enable by Pool pool0 fpm.conf:9 php_admin_flag[opcache.enable] = off",
            "realpath_cache_size by Pool pool0 fpm.conf:12 php_admin_value[realpath_cache_size]= 2M ; why",
        ],
        "what is set too late sets nothing, and what scripts may change comes before"
    );
    assert_eq!(first.set_again[0].in_files.as_deref(), Some("On"));
    assert_eq!(first.pool_unknown, None);
    assert_eq!(told(&of("pool1")), ["session.lazy_write by Pool pool1 fpm.conf:19 php_flag[session.lazy_write] = on"]);
    assert!(PhpSettings::of(fpm.master()).unwrap().pool_unknown.is_some());
}

#[test]
fn a_later_file_and_the_command_line_set_it_again() {
    let Some(fpm) = Fpm::start_with(&[""], "session.lazy_write = 1\n", |command, folder| {
        fs::write(folder.join("php.d/zzz.ini"), "opcache.enable=1\nmemory_limit = 30M\nrealpath_cache_ttl=1\n")
            .unwrap();
        command.args(["-d", "session.lazy_write=0", "-dmemory_limit=77M"]);
    }) else {
        return;
    };
    let settings = PhpSettings::of(fpm.workers()[0]).unwrap();
    let mut told = told(&settings);
    told.sort();
    assert_eq!(
        told,
        [
            "memory_limit by CommandLine -d memory_limit=77M :0 ",
            "realpath_cache_ttl by File  zzz.ini:3 realpath_cache_ttl=1",
            "session.lazy_write by CommandLine -d session.lazy_write=0 :0 ",
        ]
    );
    // Its title lies over its arguments, and it was asked without them.
    assert_eq!(settings.settings["memory_limit"], "77M");
    assert_eq!(settings.is_on("session.lazy_write"), Some(false));
}

#[test]
fn a_line_that_holds_a_password_is_not_kept() {
    assert_eq!(kept("php_admin_flag[opcache.enable] = off  "), "php_admin_flag[opcache.enable] = off");
    assert_eq!(kept("\tsession.lazy_write\t=0"), "  session.lazy_write  =0");
    for line in [
        "php_value[session.save_path] = \"tcp://cache:6379?auth=secret\"".to_owned(),
        "opcache.enable=0 ; password=hunter2".to_owned(),
        "a=\u{1b}[2J".to_owned(),
        format!("a={}", "x".repeat(MAX_LINE)),
    ] {
        assert_eq!(kept(&line), "", "{line}");
    }
}

#[test]
fn later_files_are_those_of_the_last_folder_that_sort_behind_the_fix() {
    let files = "/etc/php/conf.d/zzz.ini,\n/srv/php.d/10-a.ini,\n/srv/php.d/zz-unladen.ini,\n/srv/php.d/zzz.ini";
    assert_eq!(later_files("/etc/php/conf.d:/srv/php.d", files), [Path::new("/srv/php.d/zzz.ini")]);
    assert_eq!(later_files(":/srv/php.d", files), [Path::new("/srv/php.d/zzz.ini")]);
    assert_eq!(later_files("", ""), Vec::<PathBuf>::new());
}
