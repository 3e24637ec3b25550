//! The principal type is [`Settings`]: PHP-FPM's properties as reported by our script inside.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use unladen_fastcgi::Params;
use unladen_path::parent;

use crate::capture_request::Captured;
use crate::excimer::script::Script;
use crate::fastcgi::Response;
use crate::profiler::ProfilerError;

#[derive(Debug, Clone)]
pub(super) struct Settings {
    told: Told,
    /// Its effective user.
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// Its root folder as reached from here.
    pub(super) root: PathBuf,
    pub(super) fixes_path_info: bool,
}

impl Settings {
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

    /// Reads the answer. Fails if our script could not be run.
    pub(super) fn read(response: &Response, captured: &Captured, wrapper: &Path) -> Result<Self, ProfilerError> {
        let Some(told) = response.body.split(|byte| *byte == b'\n').find_map(Told::read) else {
            return Err(ProfilerError::Missing {
                what: format!(
                    "PHP-FPM at {} does not run {}: it answers {}{}",
                    captured.address,
                    wrapper.display(),
                    response.status,
                    response.said()
                ),
                remedy: "the pool's chroot, open_basedir (add the folder to it), security.limit_extensions without \
                         .php, or its container prevents it; profile with the kernel's clock instead (--profiler \
                         perf)"
                    .to_owned(),
            });
        };
        let missing =
            |what: &str| ProfilerError::Answer(format!("PHP-FPM at {} does not report {what}", captured.address));
        let pid = told.pid().ok_or_else(|| missing("its process"))?;
        if parent(pid) != Some(captured.application.pid) && pid != captured.application.pid {
            return Err(missing("a process that is visible here: is it in a container? Run unladen where it runs"));
        }
        let (uid, gid) = owner(pid).ok_or_else(|| missing("its user"))?;
        // PHP's default if the setting is unknown.
        let fixes_path_info = told.known_setting("cgi.fix_pathinfo").is_none_or(is_on);
        // The worker may be gone when this is used; its master has the same root.
        let root = PathBuf::from(format!("/proc/{}/root", captured.application.pid));
        Ok(Self { told, uid, gid, root, fixes_path_info })
    }

    /// Fails if the extension is missing, with what to install.
    pub(super) fn check(&self, captured: &Captured) -> Result<(), ProfilerError> {
        let pid = captured.application.pid;
        // The command that makes it reload its settings.
        let reload = match unit(pid, &["php"]) {
            Some(unit) => format!("systemctl reload {unit}"),
            None => format!("kill -USR2 {pid}"),
        };
        self.told.check(&self.root, &format!("php-fpm, process {pid}"), &reload)
    }

    /// Differences under the profiler, and needless costs.
    pub(super) fn notes(&self, script: &Script, document_root: Option<&str>) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(file) = self.user_ini(script, document_root, self.told.setting("user_ini.filename")) {
            notes.push(format!(
                "{} has no effect under the profiler: PHP looks for it next to the script that is called first",
                file.display()
            ));
        }
        let prepended = self.told.setting("auto_prepend_file");
        if !prepended.is_empty() {
            notes.push(format!(
                "{prepended} (auto_prepend_file) runs before the profiler starts: it is not in the profile"
            ));
        }
        notes.extend(self.told.notes());
        notes
    }

    /// The settings file of a folder between the document root and the script.
    fn user_ini(&self, script: &Script, document_root: Option<&str>, name: &str) -> Option<PathBuf> {
        let top = document_root.filter(|root| !root.is_empty() && script.path.starts_with(root)).map(Path::new);
        let script = Path::new(&script.path);
        let is_within = |folder: &&Path| top.map_or(Some(*folder) == script.parent(), |top| folder.starts_with(top));
        let files = script.ancestors().skip(1).take_while(is_within).map(|folder| folder.join(name));
        let is_there = |file: &PathBuf| self.root.join(file.strip_prefix("/").unwrap_or(file)).is_file();
        if name.is_empty() { None } else { files.into_iter().find(is_there) }
    }
}

fn owner(pid: u32) -> Option<(u32, u32)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let effective =
        |name| status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().nth(1)?.parse().ok();
    Some((effective("Uid:")?, effective("Gid:")?))
}

const MAGIC: &[u8] = b"{\"unladen\":1,";

/// A PHP's properties as reported by our script inside.
#[derive(Debug, Clone)]
pub(super) struct Told(Value);

impl Told {
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        if line.starts_with(MAGIC) { serde_json::from_slice(line).ok().map(Self) } else { None }
    }

    /// Its process id, in its own namespace.
    pub(super) fn pid(&self) -> Option<u32> {
        self.0["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok())
    }

    pub(super) fn setting(&self, name: &str) -> &str {
        self.known_setting(name).unwrap_or_default()
    }

    fn known_setting(&self, name: &str) -> Option<&str> {
        self.0["ini"][name].as_str()
    }

    /// Fails if the extension is not loaded, with what to install. `root` is PHP's root folder as reached from here,
    /// `who` its process for people, and `reload` the command that makes it reload its settings.
    pub(super) fn check(&self, root: &Path, who: &str, reload: &str) -> Result<(), ProfilerError> {
        if self.0["excimer"].is_string() {
            return Ok(());
        }
        let php = self.0["php"].as_str().unwrap_or("?");
        let short: String = php.split('.').take(2).collect::<Vec<_>>().join(".");
        let module = Path::new(self.0["extension_dir"].as_str().unwrap_or_default()).join("excimer.so");
        let is_installed = root.join(module.strip_prefix("/").unwrap_or(&module)).exists();
        let is_debian = root.join("etc/debian_version").exists();
        // phpenmod links into this folder, which a PHP with PHP_INI_SCAN_DIR does not read.
        let scanned = self.0["scanned"].as_str().unwrap_or_default();
        let is_linked = scanned.is_empty() || scanned.contains(&format!("/etc/php/{short}/"));
        let remedy = match (is_installed, is_debian && (is_linked || !is_installed)) {
            (true, true) => format!("it is installed, but not loaded: phpenmod -v {short} excimer, then {reload}"),
            (true, false) => {
                let last = scanned.rsplit(',').next().unwrap_or_default().trim();
                let folder = last.rsplit_once('/').map(|(folder, _)| format!("a file of {folder}"));
                format!(
                    "{} exists, but is not loaded: put extension=excimer.so into {}, then {reload}",
                    module.display(),
                    folder.as_deref().unwrap_or("php.ini")
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
        Err(ProfilerError::Missing { what: format!("PHP {php} ({who}) has not loaded Excimer"), remedy })
    }

    /// Needless costs, and differences under the profiler.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_loaded("xdebug") && self.setting("xdebug.mode") != "off" {
            notes.push("Xdebug is loaded: it slows down function calls, which distorts the profile".to_owned());
        }
        if !is_on(self.setting("opcache.enable")) {
            notes.push(
                "opcache is off: each request compiles its files again, which the profile shows as their include"
                    .to_owned(),
            );
        }
        if self.setting("zend.assertions") == "1" {
            notes.push("zend.assertions is 1, which is for development: assertions are in the profile".to_owned());
        }
        notes
    }

    fn is_loaded(&self, name: &str) -> bool {
        self.0["loaded"].as_array().is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)))
    }
}

pub(super) fn is_on(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "1" | "on" | "yes" | "true")
}

/// The process's unit without its suffix, if its name contains one of these words.
pub(super) fn unit(pid: u32, words: &[&str]) -> Option<String> {
    let cgroup = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let mut names = cgroup.lines().filter_map(|line| line.rsplit('/').next()?.strip_suffix(".service"));
    names.find(|name| words.iter().any(|word| name.contains(word))).map(str::to_owned)
}

#[cfg(test)]
mod tests;
