//! The principal type is [`Settings`]: what PHP-FPM is, as our script tells it from inside.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::application::parent;
use crate::error::ProfilerError;
use crate::excimer::script::Script;
use crate::fastcgi::Response;
use crate::overhear::Overheard;
use crate::params::Params;

/// What it is.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    told: Value,
    /// Whose rights it has.
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// Its root folder, as it is reached from here.
    pub(super) root: PathBuf,
    /// The setting `cgi.fix_pathinfo`.
    pub(super) fixes_path_info: bool,
}

// === impl Settings ===

impl Settings {
    /// The request that asks for them.
    pub(super) fn question(wrapper: &Path, params: &Params) -> Params {
        let mut asked = Params::default();
        let kept = ["SERVER_NAME", "SERVER_PORT", "SERVER_ADDR", "REMOTE_ADDR", "SERVER_SOFTWARE", "HTTP_HOST"];
        for name in kept {
            if let Some(value) = params.get(name) {
                asked.set(name, value);
            }
        }
        for (name, value) in [
            ("GATEWAY_INTERFACE", "CGI/1.1"),
            ("SERVER_PROTOCOL", "HTTP/1.1"),
            ("REQUEST_METHOD", "GET"),
            ("REQUEST_URI", "/"),
            ("SCRIPT_NAME", "/"),
            ("QUERY_STRING", ""),
            ("UNLADEN_PROFILE_OUT", ""),
        ] {
            asked.set(name, value);
        }
        asked.set("SCRIPT_FILENAME", wrapper.display().to_string());
        asked
    }

    /// What it answers.
    ///
    /// # Errors
    /// When it could not run our script.
    pub(super) fn read(response: &Response, overheard: &Overheard, wrapper: &Path) -> Result<Self, ProfilerError> {
        let is_it = |line: &&[u8]| line.starts_with(b"{\"unladen\":1,");
        let told = response.body.split(|byte| *byte == b'\n').find(is_it);
        let Some(told) = told.and_then(|line| serde_json::from_slice::<Value>(line).ok()) else {
            return Err(ProfilerError::Missing {
                what: format!(
                    "PHP-FPM at {} does not run {}: it answers {}{}",
                    overheard.address,
                    wrapper.display(),
                    response.status,
                    response.said()
                ),
                remedy: "a pool with chroot, open_basedir (add the folder to it), security.limit_extensions without .php, or a container \
                         of its own keeps it out; profile by the kernel's clock instead (--with perf)"
                    .to_owned(),
            });
        };
        let missing =
            |what: &str| ProfilerError::Answer(format!("PHP-FPM at {} does not tell {what}", overheard.address));
        let pid = told["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).ok_or_else(|| missing("its process"))?;
        if parent(pid) != Some(overheard.application.pid) && pid != overheard.application.pid {
            return Err(missing(
                "a process that is known here: is it in a container of its own? Run unladen where it runs",
            ));
        }
        let (uid, gid) = owner(pid).ok_or_else(|| missing("its user"))?;
        // Where the setting is not known, as it is by default.
        let fixes_path_info = told["ini"]["cgi.fix_pathinfo"].as_str().is_none_or(is_on);
        // The worker may be gone by the time it is looked through; its master has the same root.
        let root = PathBuf::from(format!("/proc/{}/root", overheard.application.pid));
        Ok(Self { told, uid, gid, root, fixes_path_info })
    }

    /// Whether it can be profiled.
    ///
    /// # Errors
    /// When the extension is missing, with what to install.
    pub(super) fn check(&self, overheard: &Overheard) -> Result<(), ProfilerError> {
        if self.told["excimer"].is_string() {
            return Ok(());
        }
        let pid = overheard.application.pid;
        let php = self.told["php"].as_str().unwrap_or("?");
        let short: String = php.split('.').take(2).collect::<Vec<_>>().join(".");
        let reload = reload(pid);
        let module = Path::new(self.told["extension_dir"].as_str().unwrap_or_default()).join("excimer.so");
        let is_installed = self.root.join(module.strip_prefix("/").unwrap_or(&module)).exists();
        let is_debian = self.root.join("etc/debian_version").exists();
        let remedy = match (is_installed, is_debian) {
            (true, true) => format!("it is installed, but not loaded: phpenmod -v {short} excimer, then {reload}"),
            (true, false) => {
                format!(
                    "{} is there, but not loaded: put extension=excimer.so into php.ini, then {reload}",
                    module.display()
                )
            }
            (false, true) => {
                format!("apt-get install php-excimer (php{short}-excimer where PHP is not Debian's own), then {reload}")
            }
            (false, false) => format!(
                "install Excimer for PHP {short} (pecl install excimer; php-pecl-excimer of Remi's packages), put extension=excimer.so into \
                 php.ini, then {reload}"
            ),
        };
        let what = format!("PHP {php} (php-fpm, process {pid}) has not loaded Excimer");
        Err(ProfilerError::Missing { what, remedy })
    }

    /// What is otherwise under the profiler, or costs more than it has to.
    pub(super) fn notes(&self, script: &Script, document_root: Option<&str>) -> Vec<String> {
        let ini = |name: &str| self.told["ini"][name].as_str().unwrap_or_default();
        let mut notes = Vec::new();
        if let Some(file) = self.user_ini(script, document_root, ini("user_ini.filename")) {
            notes.push(format!(
                "{} does not count under the profiler: PHP looks for it beside the script that is called first",
                file.display()
            ));
        }
        let prepended = ini("auto_prepend_file");
        if !prepended.is_empty() {
            notes.push(format!(
                "{prepended} (auto_prepend_file) runs before the profiler starts: it is not in the profile"
            ));
        }
        let is_loaded = |name: &str| {
            self.told["loaded"].as_array().is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)))
        };
        if is_loaded("xdebug") && ini("xdebug.mode") != "off" {
            notes.push("Xdebug is loaded: it makes function calls slow, and the profile shows that".to_owned());
        }
        if !is_on(ini("opcache.enable")) {
            notes.push(
                "opcache is off: each request compiles its files again, and the profile shows that as their include"
                    .to_owned(),
            );
        }
        if ini("zend.assertions") == "1" {
            notes.push("zend.assertions is 1, which is for development: assertions are in the profile".to_owned());
        }
        notes
    }

    /// Settings of a folder between the document root and the script.
    fn user_ini(&self, script: &Script, document_root: Option<&str>, name: &str) -> Option<PathBuf> {
        let top = document_root.filter(|root| !root.is_empty() && script.path.starts_with(root)).map(Path::new);
        let script = Path::new(&script.path);
        let is_within = |folder: &&Path| top.map_or(Some(*folder) == script.parent(), |top| folder.starts_with(top));
        let files = script.ancestors().skip(1).take_while(is_within).map(|folder| folder.join(name));
        let is_there = |file: &PathBuf| self.root.join(file.strip_prefix("/").unwrap_or(file)).is_file();
        if name.is_empty() { None } else { files.into_iter().find(is_there) }
    }
}

fn is_on(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "1" | "on" | "yes" | "true")
}

/// Effective user and group of a process.
fn owner(pid: u32) -> Option<(u32, u32)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let effective =
        |name| status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().nth(1)?.parse().ok();
    Some((effective("Uid:")?, effective("Gid:")?))
}

/// What makes it read its settings again: the unit that it is of, or a signal.
fn reload(pid: u32) -> String {
    let cgroup = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let unit = cgroup.lines().filter_map(|line| line.rsplit('/').next()).find_map(|name| name.strip_suffix(".service"));
    match unit.filter(|unit| unit.contains("php")) {
        Some(unit) => format!("systemctl reload {unit}"),
        None => format!("kill -USR2 {pid}"),
    }
}
